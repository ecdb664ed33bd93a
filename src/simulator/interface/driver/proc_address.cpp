// Entry points: look-up of entry points by name.
#include <string_view>

#include "simulator/interface/driver/call.hpp"

// Without cuda.h's macros, which rename functions to their newest version, and by address only:
// signatures are irrelevant here.
#define NPP_EXPORTED(name, function, version) \
  extern "C" void npp_at_##function() __asm__(#function);
#define NPP_REFUSED(name, function, version, what) \
  extern "C" void npp_at_##function() __asm__(#function);
#include "simulator/interface/driver/exported.def"
#include "simulator/interface/driver/refused.def"

using namespace numpy_plugin::sim;

namespace {

struct Exported {
  std::string_view name;
  void (*function)();
  int version;
};

constexpr Exported kExported[] = {
#define NPP_EXPORTED(name, function, version) {#name, &npp_at_##function, version},
#define NPP_REFUSED(name, function, version, what) {#name, &npp_at_##function, version},
#include "simulator/interface/driver/exported.def"
#include "simulator/interface/driver/refused.def"
};

}  // namespace

NPP_EXPORT CUresult cuGetProcAddress_v2(const char* symbol, void** function, int version,
                                        cuuint64_t, CUdriverProcAddressQueryResult* status) {
  if (symbol == nullptr || function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  bool is_known = false;
  const Exported* newest = nullptr;
  for (const Exported& exported : kExported) {
    if (exported.name != symbol) continue;
    is_known = true;
    const bool is_newer = newest == nullptr || exported.version > newest->version;
    if (exported.version <= version && is_newer) newest = &exported;
  }
  if (status != nullptr) {
    *status = newest != nullptr ? CU_GET_PROC_ADDRESS_SUCCESS
              : is_known        ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                                : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  }
  *function = newest == nullptr ? nullptr : reinterpret_cast<void*>(newest->function);
  return newest == nullptr ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
}

// Undocumented function tables: not supported.
NPP_EXPORT CUresult cuGetExportTable(const void** table, const CUuuid*) {
  if (table != nullptr) *table = nullptr;
  return CUDA_ERROR_NOT_FOUND;
}
