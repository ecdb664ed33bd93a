// Objects are released outside of the lock: that may take the GIL.
#include "numpy_plugin/run/device/kept_objects.hpp"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "numpy_plugin/system/fork.hpp"
#include "numpy_plugin/system/mutex.hpp"

namespace numpy_plugin::run {
namespace {

struct Kept {
  std::unique_ptr<const StreamMark> done;  // null: its graph was destroyed
  std::shared_ptr<void> object;
};

struct AllKept {
  system::Mutex mutex;
  std::vector<Kept> objects;
  std::atomic<bool> has_objects = false;
};

// Leaked on purpose: work may go on while the process exits.
AllKept& all_kept() { return system::the_only<AllKept>(); }

void add(Kept kept) {
  AllKept& all = all_kept();
  const std::lock_guard lock(all.mutex);
  all.objects.push_back(std::move(kept));
  all.has_objects = true;
}

// True also where the device is lost: nothing runs on it any more.
bool is_over(const Kept& kept) {
  try {
    return kept.done == nullptr || kept.done->is_done();
  } catch (const base::Error&) {
    return true;
  }
}

// Called by the driver, in a thread that may make no calls of it.
void CUDA_CB give_up(void* object) {
  const std::unique_ptr<std::shared_ptr<void>> owned(static_cast<std::shared_ptr<void>*>(object));
  add({nullptr, std::move(*owned)});
}

std::vector<Kept> take_finished() {
  AllKept& all = all_kept();
  std::vector<Kept> finished;
  const std::lock_guard lock(all.mutex);
  std::erase_if(all.objects, [&](Kept& kept) {
    if (!is_over(kept)) return false;
    finished.push_back(std::move(kept));
    return true;
  });
  all.has_objects = !all.objects.empty();
  return finished;
}

}  // namespace

void keep_until(std::unique_ptr<const StreamMark> done, std::shared_ptr<void> object) {
  release_kept();
  add({std::move(done), std::move(object)});
}

void keep_with_graph(const load::Driver& driver, CUstream stream, std::shared_ptr<void> object) {
  constexpr const char* kTask = "to keep memory for a graph that is being captured";
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  CUgraph graph = nullptr;
  driver.check(driver.cuStreamGetCaptureInfo_v2(stream, &status, nullptr, &graph, nullptr, nullptr),
               kTask);
  if (status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return;  // invalidated: nothing will run
  auto owned = std::make_unique<std::shared_ptr<void>>(std::move(object));
  CUuserObject kept = nullptr;
  driver.check(
      driver.cuUserObjectCreate(&kept, owned.get(), &give_up, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC),
      kTask);
  owned.release();  // NOLINT(bugprone-unused-return-value): give_up() deletes it
  const CUresult result = driver.cuGraphRetainUserObject(graph, kept, 1, CU_GRAPH_USER_OBJECT_MOVE);
  if (result != CUDA_SUCCESS) driver.cuUserObjectRelease(kept, 1);
  driver.check(result, kTask);
}

void release_kept() noexcept {
  if (all_kept().has_objects) take_finished();
}

}  // namespace numpy_plugin::run
