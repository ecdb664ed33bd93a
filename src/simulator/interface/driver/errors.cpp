// Versions and the names of errors.
#include "simulator/interface/driver/call.hpp"

namespace numpy_plugin::sim {
namespace {

struct ErrorText {
  CUresult code;
  const char* name;
  const char* words;
};

constexpr ErrorText kErrors[] = {
#define NPP_CUDA_ERROR(code, words) {code, #code, words},
#include "simulator/interface/driver/errors.def"
};

// No result of its own: keeps the previous call's report readable.
CUresult find_text(CUresult code, const char** text, const char* ErrorText::*part) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  for (const ErrorText& error : kErrors) {
    if (error.code != code) continue;
    *text = error.*part;
    return CUDA_SUCCESS;
  }
  *text = nullptr;
  return CUDA_ERROR_INVALID_VALUE;
}

// Of the driver API: that of the newest NVRTC whose PTX is run in tests. Clients take a driver that
// is older than their compiler for one that refuses its PTX.
constexpr int kVersion = 13050;

}  // namespace
}  // namespace numpy_plugin::sim

using namespace numpy_plugin::sim;

NPP_EXPORT CUresult cuDriverGetVersion(int* version) {
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *version = kVersion;
  return CUDA_SUCCESS;
}

NPP_EXPORT CUresult cuGetErrorName(CUresult error, const char** name) {
  return find_text(error, name, &ErrorText::name);
}

NPP_EXPORT CUresult cuGetErrorString(CUresult error, const char** words) {
  return find_text(error, words, &ErrorText::words);
}
