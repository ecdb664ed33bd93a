// The record of calls, and failures on request.
#include <iterator>
#include <map>
#include <mutex>

#include "driver/counting_driver.hpp"

namespace counting_driver {
namespace {

struct Change {
  const char* symbol;
  const char* object;
  int by;
};

// Objects that a successful call creates or destroys.
constexpr Change kChanges[] = {
    {"cuDevicePrimaryCtxRetain", "context", 1},
    {"cuDevicePrimaryCtxRelease_v2", "context", -1},
    {"cuCtxPushCurrent_v2", "pushed context", 1},
    {"cuCtxPopCurrent_v2", "pushed context", -1},
    {"cuMemAlloc_v2", "allocation", 1},
    {"cuMemFree_v2", "allocation", -1},
    {"cuMemAllocAsync", "allocation", 1},
    {"cuMemAllocFromPoolAsync", "allocation", 1},
    {"cuMemFreeAsync", "allocation", -1},
    {"cuMemPoolCreate", "memory pool", 1},
    {"cuMemPoolDestroy", "memory pool", -1},
    {"cuMemHostAlloc", "pinned block", 1},
    {"cuMemFreeHost", "pinned block", -1},
    {"cuModuleLoadData", "module", 1},
    {"cuModuleUnload", "module", -1},
    {"cuStreamCreate", "stream", 1},
    {"cuStreamCreateWithPriority", "stream", 1},
    {"cuStreamDestroy_v2", "stream", -1},
    {"cuEventCreate", "event", 1},
    {"cuEventDestroy_v2", "event", -1},
    {"cuStreamBeginCapture_v2", "capture", 1},
    {"cuStreamEndCapture", "capture", -1},
    {"cuGraphInstantiateWithFlags", "executable graph", 1},
    {"cuGraphExecDestroy", "executable graph", -1},
};

struct Failure {
  int n_before = 0;  // calls that succeed before it
  int count = 0;
  CUresult result = CUDA_SUCCESS;
};

struct Record {
  std::mutex mutex;
  std::vector<const char*> calls;
  std::map<std::string, int> objects;
  std::map<std::string, Failure> failures;
  std::string text;
};

// Leaked: calls come until the process has ended.
Record& record() {
  static Record* const made = new Record;
  return *made;
}

// The failure asked for, CUDA_SUCCESS where it is not this call's turn. The caller holds the lock.
CUresult next_failure(const char* symbol) {
  const auto found = record().failures.find(symbol);
  if (found == record().failures.end()) return CUDA_SUCCESS;
  Failure& failure = found->second;
  if (failure.n_before > 0) {
    --failure.n_before;
    return CUDA_SUCCESS;
  }
  const CUresult result = failure.result;
  if (--failure.count == 0) record().failures.erase(found);
  return result;
}

}  // namespace

EntryPoint make_entry_point(const char* symbol) {
  const std::lock_guard lock(record().mutex);
  for (const Change& change : kChanges) {
    if (std::string(change.symbol) != symbol) continue;
    return {symbol, &record().objects[change.object], change.by};
  }
  return {symbol, nullptr, 0};
}

CUresult begin_call(const EntryPoint& point) {
  const std::lock_guard lock(record().mutex);
  record().calls.push_back(point.symbol);
  return record().failures.empty() ? CUDA_SUCCESS : next_failure(point.symbol);
}

void end_call(const EntryPoint& point, CUresult result) {
  if (result != CUDA_SUCCESS || point.n_objects == nullptr) return;
  const std::lock_guard lock(record().mutex);
  *point.n_objects += point.change;
}

}  // namespace counting_driver

using counting_driver::record;

extern "C" {

void counting_driver_reset() {
  const std::lock_guard lock(record().mutex);
  record().calls.clear();
  record().failures.clear();
}

const char* counting_driver_calls() {
  const std::lock_guard lock(record().mutex);
  record().text.clear();
  for (const char* const call : record().calls) record().text.append(call).append("\n");
  return record().text.c_str();
}

const char* counting_driver_leaks() {
  const std::lock_guard lock(record().mutex);
  record().text.clear();
  for (const auto& [object, count] : record().objects) {
    if (count == 0) continue;
    record().text += std::to_string(count) + ' ' + object + (count == 1 ? "\n" : "s\n");
  }
  return record().text.c_str();
}

void counting_driver_fail(const char* symbol, int n, int count, int result) {
  const std::lock_guard lock(record().mutex);
  record().failures[symbol] = {n - 1, count, static_cast<CUresult>(result)};
}

}  // extern "C"
