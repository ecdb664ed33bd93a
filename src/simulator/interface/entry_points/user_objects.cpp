// Entry points: objects of clients that graphs keep, by counts of references.
#include "simulator/interface/objects/graph.hpp"

using namespace numpy_plugin::sim;

namespace {

// An object as long as anything refers to it, and the client's own references.
struct Held {
  std::weak_ptr<UserObject> object;
  std::mutex mutex;
  UserReferences references;
};

Handles<CUuserObject, Held>& user_objects() {
  static auto& handles = *new Handles<CUuserObject, Held>(CUDA_ERROR_INVALID_VALUE);
  return handles;
}

std::shared_ptr<UserObject> object_of(const Held& held) {
  auto object = held.object.lock();
  require(object != nullptr, CUDA_ERROR_INVALID_VALUE, "the object was destroyed");
  return object;
}

}  // namespace

NPP_EXPORT CUresult cuUserObjectCreate(CUuserObject* handle, void* object, CUhostFn destroy,
                                       unsigned count, unsigned flags) {
  return answer([&] {
    require_pointer(handle);
    require_pointer(reinterpret_cast<void*>(destroy));
    require(count > 0, CUDA_ERROR_INVALID_VALUE, "an object begins with at least one reference");
    require(flags == CU_USER_OBJECT_NO_DESTRUCTOR_SYNC, CUDA_ERROR_INVALID_VALUE,
            "CU_USER_OBJECT_NO_DESTRUCTOR_SYNC is the only flag, and must be given");
    const auto held = std::make_shared<Held>();
    held->references.assign(count, std::make_shared<UserObject>(object, destroy));
    held->object = held->references.front();
    *handle = user_objects().add(held);
  });
}

NPP_EXPORT CUresult cuUserObjectRetain(CUuserObject handle, unsigned count) {
  return answer([&] {
    const auto held = user_objects().find(handle);
    const std::lock_guard lock(held->mutex);
    held->references.insert(held->references.end(), count, object_of(*held));
  });
}

// The client's function is called without a lock.
NPP_EXPORT CUresult cuUserObjectRelease(CUuserObject handle, unsigned count) {
  return answer([&] {
    UserReferences released;
    const auto held = user_objects().find(handle);
    const std::lock_guard lock(held->mutex);
    released = take_references(held->references, object_of(*held), count);
  });
}

NPP_EXPORT CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject handle, unsigned count,
                                            unsigned flags) {
  return answer([&] {
    require((flags & ~unsigned{CU_GRAPH_USER_OBJECT_MOVE}) == 0, CUDA_ERROR_INVALID_VALUE,
            "there is no such flag");
    const auto to = graphs().find(graph);
    const auto held = user_objects().find(handle);
    const std::lock_guard lock(held->mutex);
    const auto object = object_of(*held);
    to->retain(flags == 0 ? UserReferences(count, object)
                          : take_references(held->references, object, count));
  });
}

NPP_EXPORT CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject handle, unsigned count) {
  return answer([&] {
    UserReferences released;
    const auto held = user_objects().find(handle);
    released = graphs().find(graph)->release(object_of(*held), count);
  });
}
