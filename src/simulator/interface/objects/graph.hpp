// Graphs: work with its dependencies, and their executable form.
#pragma once

#include <cuda.h>

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "simulator/interface/objects/context.hpp"

namespace numpy_plugin::sim {

// A kernel's launch as clients ask for it; its parameters are in `bytes`.
struct KernelDescription {
  CUDA_KERNEL_NODE_PARAMS given = {};
  std::vector<std::byte> bytes;
  std::vector<void*> pointers;
};

// Work as a client describes it: submitted once or, where it was captured, at each launch of the
// graph.
struct StreamWork {
  CUgraphNodeType kind = CU_GRAPH_NODE_TYPE_KERNEL;
  // One submission to a stream; throws CallError where it is refused.
  std::function<Task(const std::shared_ptr<Stream>& stream)> task;
  std::uint64_t allocated = 0;  // addresses that it makes usable or frees; 0: none
  std::uint64_t freed = 0;
  std::shared_ptr<const KernelDescription> kernel = nullptr;  // of kernels only
};

// Work whose submissions are all alike.
StreamWork make_work(CUgraphNodeType kind, Task task);

// A call of a function of the client, also after a fault.
StreamWork host_work(CUhostFn function, void* data);

// Frees memory of a context in the order of a stream.
Task free_task(const std::shared_ptr<Context>& owner, std::uint64_t address);

struct GraphNode {
  CUgraphNode handle = nullptr;
  StreamWork work;
  std::shared_ptr<Context> context;
  std::vector<const GraphNode*> dependencies;
};

// A client's object, which a function of the client destroys after the last reference: an element
// of a list each.
class UserObject {
 public:
  UserObject(void* object, CUhostFn destroy) : object_(object), destroy_(destroy) {}
  ~UserObject() { destroy_(object_); }
  UserObject(const UserObject&) = delete;
  UserObject& operator=(const UserObject&) = delete;

 private:
  void* const object_;
  const CUhostFn destroy_;
};
using UserReferences = std::vector<std::shared_ptr<UserObject>>;

// Nodes are added while it is captured, or one by one.
class Graph {
 public:
  Graph() = default;
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  const GraphNode* add(StreamWork work, const std::shared_ptr<Context>& context,
                       std::vector<const GraphNode*> dependencies);
  const std::vector<std::shared_ptr<GraphNode>>& nodes() const { return nodes_; }
  // Throws CallError for nodes of other graphs.
  GraphNode* find(CUgraphNode node) const;
  // With its dependencies, and those of others on it.
  void remove(const GraphNode* node);

  // References of the graph to objects of the client; its executable forms have their own.
  void retain(const UserReferences& references);
  // Throws CallError where there are fewer.
  UserReferences release(const std::shared_ptr<UserObject>& object, std::size_t count);
  UserReferences references();

  // Memory of allocation nodes belongs to one executable form at a time.
  bool try_lock_memory();
  void unlock_memory();

 private:
  std::vector<std::shared_ptr<GraphNode>> nodes_;
  std::mutex mutex_;
  bool is_memory_locked_ = false;
  UserReferences references_;
};

class GraphExec {
 public:
  // Throws CallError where the graph's memory has another executable form, and for graphs in which
  // nodes depend on each other.
  GraphExec(std::shared_ptr<Graph> graph, bool frees_at_launch);
  ~GraphExec();
  GraphExec(const GraphExec&) = delete;
  GraphExec& operator=(const GraphExec&) = delete;

  // Submits all nodes; a launch begins after the previous one has ended, on whatever stream.
  void launch(const std::shared_ptr<Stream>& stream);
  // All nodes as one task, in the order of their dependencies.
  Task task(const std::shared_ptr<Stream>& stream) const;
  bool has_allocations() const;

  // Replace work of launches from now on; the kind and the context of a node stay as they are.
  void set(CUgraphNode node, StreamWork work, const std::shared_ptr<Context>& context);
  // All nodes' by those of a graph of the same form; the result tells why not.
  CUgraphExecUpdateResultInfo update(const Graph& graph);

 private:
  void require_memory() const;

  const std::shared_ptr<Graph> graph_;
  const std::vector<std::shared_ptr<GraphNode>> nodes_;  // copies, in their order
  const UserReferences references_;
  const bool frees_at_launch_;
  std::mutex mutex_;
  std::vector<Stream::Dependency> previous_;  // the last launch, if any
};

// Throws CallError for the dependencies that only newer GPUs' kernels can have.
void require_plain(const CUgraphEdgeData* data, std::size_t n_edges);

// Takes a number of references to an object away. Throws CallError where there are fewer.
UserReferences take_references(UserReferences& from, const std::shared_ptr<UserObject>& object,
                               std::size_t count);

Handles<CUgraph, Graph>& graphs();
// The graph with a node; throws CallError without one.
std::shared_ptr<Graph> graph_of(CUgraphNode node);
Handles<CUgraphNode, GraphNode>& graph_nodes();
Handles<CUgraphExec, GraphExec>& graph_execs();

}  // namespace numpy_plugin::sim
