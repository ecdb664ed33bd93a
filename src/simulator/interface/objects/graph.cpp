// Launches of graphs.
#include "simulator/interface/objects/graph.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "simulator/interface/objects/pool.hpp"

namespace numpy_plugin::sim {

StreamWork make_work(CUgraphNodeType kind, Task task) {
  return {kind, [task = std::move(task)](const auto&) { return task; }};
}

Task free_task(const std::shared_ptr<Context>& owner, std::uint64_t address) {
  return {[owner, address] { owner->memory().free(address); }, false};
}

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

bool GraphExec::has_allocations() const {
  return std::any_of(nodes_.begin(), nodes_.end(),
                     [](const auto& node) { return node->work.allocated != 0; });
}

bool Graph::try_lock_memory() {
  const std::lock_guard lock(mutex_);
  return !std::exchange(is_memory_locked_, true);
}

void Graph::unlock_memory() {
  const std::lock_guard lock(mutex_);
  is_memory_locked_ = false;
}

GraphExec::GraphExec(std::shared_ptr<Graph> graph, bool frees_at_launch)
    : graph_(std::move(graph)), nodes_(graph_->nodes()), frees_at_launch_(frees_at_launch) {
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
    const auto& [kind, task, allocated, freed] = node->work;
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
  const auto run = [graph = graph_, steps = std::move(steps)] {
    for (const auto& [context, task] : steps) context->run(task);
  };
  return {run, false};
}

void GraphExec::launch(const std::shared_ptr<Stream>& stream) {
  const std::lock_guard lock(mutex_);  // no launch in between
  const Stream::Ticket ticket = stream->context()->submit(stream, task(stream), previous_);
  previous_ = {{stream, ticket}};
}

Handles<CUgraph, Graph>& graphs() {
  static auto& handles = *new Handles<CUgraph, Graph>;
  return handles;
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
