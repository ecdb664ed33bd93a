// A profiler for tests: NVTX opens it by $NVTX_INJECTION64_PATH. Writes a line for each range of a
// thread that begins or ends to the file in $RANGE_FILE.
#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>

namespace {

std::mutex mutex;

void write_line(const std::string& line) {
  const std::lock_guard lock(mutex);
  std::FILE* const file = std::fopen(std::getenv("RANGE_FILE"), "a");
  std::fputs((line + '\n').c_str(), file);
  std::fclose(file);
}

// Domains are their names.
nvtxDomainHandle_t create_domain(const char* name) {
  return reinterpret_cast<nvtxDomainHandle_t>(new std::string(name));
}

int push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  write_line("begin " + *reinterpret_cast<std::string*>(domain) + ": " + attributes->message.ascii);
  return 0;
}

int pop(nvtxDomainHandle_t) {
  write_line("end");
  return 0;
}

template <class Function>
void set(NvtxFunctionTable table, unsigned size, unsigned id, Function* function) {
  if (id < size && table[id] != nullptr)
    *table[id] = reinterpret_cast<NvtxFunctionPointer>(function);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t get_table) {
  const auto* const callbacks =
      static_cast<const NvtxExportTableCallbacks*>(get_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (callbacks == nullptr ||
      callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) == 0) {
    return 0;
  }
  set(table, size, NVTX_CBID_CORE2_DomainCreateA, create_domain);
  set(table, size, NVTX_CBID_CORE2_DomainRangePushEx, push);
  set(table, size, NVTX_CBID_CORE2_DomainRangePop, pop);
  return 1;
}
