// Launches of graphs.
#include "simulator/interface/objects/graph.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "simulator/interface/objects/pool.hpp"

namespace numpy_plugin::sim {

StreamWork make_work(CUgraphNodeType kind, Task task) {
  return {kind, [task = std::move(task)](const auto&) { return task; }};
}

StreamWork host_work(CUhostFn function, void* data) {
  require(function != nullptr, CUDA_ERROR_INVALID_VALUE, "there is no function to call");
  const auto call = [function, data] {
    this_thread().is_in_host_function = true;
    function(data);
    this_thread().is_in_host_function = false;
  };
  return make_work(CU_GRAPH_NODE_TYPE_HOST, {call, false});
}

Task free_task(const std::shared_ptr<Context>& owner, std::uint64_t address) {
  return {[owner, address] { owner->memory().free(address); }, false};
}

namespace {

using Nodes = std::vector<std::shared_ptr<GraphNode>>;

// Nodes after those they depend on, otherwise in the order in which they were added.
Nodes in_order(const Nodes& nodes) {
  Nodes ordered;
  std::set<const GraphNode*> done;
  const auto is_ready = [&](const auto& node) {
    return !done.contains(node.get()) &&
           std::all_of(node->dependencies.begin(), node->dependencies.end(),
                       [&](const GraphNode* before) { return done.contains(before); });
  };
  while (ordered.size() < nodes.size()) {
    const std::size_t n_before = ordered.size();
    for (const auto& node : nodes) {
      if (!is_ready(node)) continue;
      ordered.push_back(node);
      done.insert(node.get());
    }
    require(ordered.size() > n_before, CUDA_ERROR_INVALID_VALUE,
            "nodes of the graph depend on each other");
  }
  return ordered;
}

// Copies that depend on each other instead of on the originals.
Nodes copies_in_order(const Nodes& nodes) {
  Nodes copies;
  std::map<const GraphNode*, const GraphNode*> copy_of;
  for (const auto& node : in_order(nodes)) {
    copies.push_back(std::make_shared<GraphNode>(*node));
    for (const GraphNode*& before : copies.back()->dependencies) before = copy_of.at(before);
    copy_of[node.get()] = copies.back().get();
  }
  return copies;
}

// The places in `nodes` of those that one of them depends on.
std::set<std::size_t> dependencies_in(const Nodes& nodes, const GraphNode& node) {
  std::set<std::size_t> places;
  for (const GraphNode* before : node.dependencies) {
    const auto at = std::find_if(nodes.begin(), nodes.end(),
                                 [&](const auto& known) { return known.get() == before; });
    places.insert(static_cast<std::size_t>(at - nodes.begin()));
  }
  return places;
}

bool allocates(const Nodes& nodes) {
  return std::any_of(nodes.begin(), nodes.end(),
                     [](const auto& node) { return node->work.allocated != 0; });
}

// Why a node can't take another's work.
CUgraphExecUpdateResult compare(const GraphNode& node, const GraphNode& other) {
  if (other.work.kind != node.work.kind) return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
  if (other.context == node.context) return CU_GRAPH_EXEC_UPDATE_SUCCESS;
  return node.work.kind == CU_GRAPH_NODE_TYPE_KERNEL
             ? CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE
             : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
}

}  // namespace

Graph::~Graph() {
  for (const auto& node : nodes_) graph_nodes().remove(node->handle);
}

const GraphNode* Graph::add(StreamWork work, const std::shared_ptr<Context>& context,
                            std::vector<const GraphNode*> dependencies) {
  const auto node = std::make_shared<GraphNode>(
      GraphNode{nullptr, std::move(work), context, std::move(dependencies)});
  node->handle = graph_nodes().add(node);
  nodes_.push_back(node);
  return node.get();
}

GraphNode* Graph::find(CUgraphNode handle) const {
  for (const auto& node : nodes_) {
    if (node->handle == handle) return node.get();
  }
  throw CallError(CUDA_ERROR_INVALID_VALUE, "the node is not of this graph");
}

void Graph::remove(const GraphNode* removed) {
  for (const auto& node : nodes_) std::erase(node->dependencies, removed);
  graph_nodes().remove(removed->handle);
  std::erase_if(nodes_, [&](const auto& node) { return node.get() == removed; });
}

void Graph::retain(const UserReferences& references) {
  const std::lock_guard lock(mutex_);
  references_.insert(references_.end(), references.begin(), references.end());
}

UserReferences Graph::release(const std::shared_ptr<UserObject>& object, std::size_t count) {
  const std::lock_guard lock(mutex_);
  return take_references(references_, object, count);
}

UserReferences Graph::references() {
  const std::lock_guard lock(mutex_);
  return references_;
}

UserReferences take_references(UserReferences& from, const std::shared_ptr<UserObject>& object,
                               std::size_t count) {
  const auto n_held = static_cast<std::size_t>(std::count(from.begin(), from.end(), object));
  if (count > n_held) {
    throw CallError(
        CUDA_ERROR_INVALID_VALUE,
        format("release of {} references to an object, of which {} are held", count, n_held));
  }
  UserReferences taken;
  while (taken.size() < count) {
    const auto held = std::find(from.begin(), from.end(), object);
    taken.push_back(std::move(*held));
    from.erase(held);
  }
  return taken;
}

bool GraphExec::has_allocations() const { return allocates(nodes_); }

bool Graph::try_lock_memory() {
  const std::lock_guard lock(mutex_);
  return !std::exchange(is_memory_locked_, true);
}

void Graph::unlock_memory() {
  const std::lock_guard lock(mutex_);
  is_memory_locked_ = false;
}

GraphExec::GraphExec(std::shared_ptr<Graph> graph, bool frees_at_launch)
    : graph_(std::move(graph)),
      nodes_(copies_in_order(graph_->nodes())),
      references_(graph_->references()),
      frees_at_launch_(frees_at_launch) {
  require(!has_allocations() || graph_->try_lock_memory(), CUDA_ERROR_INVALID_VALUE,
          "a graph that allocates memory has one executable form at a time");
}

GraphExec::~GraphExec() {
  if (has_allocations()) graph_->unlock_memory();
}

// Before anything is submitted, so that a refused launch changes nothing.
void GraphExec::require_memory() const {
  std::set<std::uint64_t> opened;
  for (const auto& node : nodes_) {
    const std::uint64_t allocated = node->work.allocated;
    const std::uint64_t freed = node->work.freed;
    const auto pool = node->context->device().graph_pool();
    if (allocated != 0 && pool->holds(allocated)) {
      require(frees_at_launch_, CUDA_ERROR_INVALID_VALUE,
              "memory that the graph allocated in its last launch is not freed");
    }
    if (allocated != 0) opened.insert(allocated);
    require(freed == 0 || opened.erase(freed) == 1 || pool->holds(freed), CUDA_ERROR_INVALID_VALUE,
            "memory that the graph frees is not allocated");
  }
}

Task GraphExec::task(const std::shared_ptr<Stream>& stream) const {
  struct Step {
    std::shared_ptr<Context> context;
    Task task;
  };
  require_memory();
  std::vector<Step> steps;
  for (const auto& node : nodes_) {
    const std::uint64_t address = node->work.allocated;
    if (address == 0 || !node->context->device().graph_pool()->forget(address)) continue;
    steps.push_back({node->context, free_task(node->context, address)});
  }
  for (const auto& node : nodes_) {
    steps.push_back({node->context, node->work.task(stream)});
  }
  // A fault makes the following nodes of its context skip their work.
  const auto run = [graph = graph_, references = references_, steps = std::move(steps)] {
    for (const auto& [context, task] : steps) context->run(task);
  };
  return {run, false};
}

void GraphExec::launch(const std::shared_ptr<Stream>& stream) {
  const std::lock_guard lock(mutex_);  // no launch in between
  const Stream::Ticket ticket = stream->context()->submit(stream, task(stream), previous_);
  previous_ = {{stream, ticket}};
}

void GraphExec::set(CUgraphNode handle, StreamWork work, const std::shared_ptr<Context>& context) {
  const std::lock_guard lock(mutex_);
  const auto node = std::find_if(nodes_.begin(), nodes_.end(),
                                 [&](const auto& known) { return known->handle == handle; });
  require(node != nodes_.end(), CUDA_ERROR_INVALID_VALUE,
          "the node is not of the graph that was instantiated");
  require((*node)->work.kind == work.kind, CUDA_ERROR_INVALID_VALUE, "the node is of another kind");
  require((*node)->context == context, CUDA_ERROR_INVALID_VALUE,
          "the node's work can't go to another context");
  (*node)->work = std::move(work);
}

CUgraphExecUpdateResultInfo GraphExec::update(const Graph& graph) {
  const Nodes given = copies_in_order(graph.nodes());
  const std::lock_guard lock(mutex_);
  if (allocates(nodes_) || allocates(given)) {
    return {CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED, nullptr, nullptr};
  }
  if (given.size() != nodes_.size()) {
    return {CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, nullptr, nullptr};
  }
  for (std::size_t place = 0; place < given.size(); ++place) {
    const GraphNode& node = *given[place];
    const bool is_alike = dependencies_in(given, node) == dependencies_in(nodes_, *nodes_[place]);
    const auto result =
        is_alike ? compare(*nodes_[place], node) : CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    if (result != CU_GRAPH_EXEC_UPDATE_SUCCESS) return {result, node.handle, nullptr};
  }
  for (std::size_t place = 0; place < given.size(); ++place) {
    nodes_[place]->work = given[place]->work;
  }
  return {CU_GRAPH_EXEC_UPDATE_SUCCESS, nullptr, nullptr};
}

void require_plain(const CUgraphEdgeData* data, std::size_t n_edges) {
  for (std::size_t index = 0; data != nullptr && index < n_edges; ++index) {
    require(data[index].from_port == 0 && data[index].to_port == 0 && data[index].type == 0,
            CUDA_ERROR_NOT_SUPPORTED, "the simulator has no programmatic dependencies of kernels");
  }
}

Handles<CUgraph, Graph>& graphs() {
  static auto& handles = *new Handles<CUgraph, Graph>;
  return handles;
}

std::shared_ptr<Graph> graph_of(CUgraphNode node) {
  for (const auto& graph : graphs().all()) {
    const auto& nodes = graph->nodes();
    if (std::any_of(nodes.begin(), nodes.end(),
                    [&](const auto& known) { return known->handle == node; })) {
      return graph;
    }
  }
  throw CallError(CUDA_ERROR_INVALID_VALUE, "there is no such node");
}

Handles<CUgraphNode, GraphNode>& graph_nodes() {
  static auto& handles = *new Handles<CUgraphNode, GraphNode>;
  return handles;
}

Handles<CUgraphExec, GraphExec>& graph_execs() {
  static auto& handles = *new Handles<CUgraphExec, GraphExec>;
  return handles;
}

}  // namespace numpy_plugin::sim
