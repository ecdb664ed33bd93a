// Entry points: dependencies between the nodes of graphs.
#include <algorithm>

#include "simulator/interface/objects/graph.hpp"

using namespace numpy_plugin::sim;

namespace {

struct Edge {
  CUgraphNode from = nullptr;
  CUgraphNode to = nullptr;
};

std::vector<Edge> edges_of(const Graph& graph) {
  std::vector<Edge> edges;
  for (const auto& node : graph.nodes()) {
    for (const GraphNode* before : node->dependencies) {
      edges.push_back({before->handle, node->handle});
    }
  }
  return edges;
}

// Writes at most *count values, and their number; without a place for them, how many there are.
void give(const std::vector<CUgraphNode>& values, CUgraphNode* to, std::size_t n_places) {
  if (to == nullptr) return;
  std::fill_n(to, n_places, nullptr);
  std::copy_n(values.begin(), std::min(n_places, values.size()), to);
}

void give_number(std::size_t n_values, bool has_place, std::size_t* count) {
  *count = has_place ? std::min(*count, n_values) : n_values;
}

void give_edges(CUgraph graph, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data,
                std::size_t* count) {
  require_pointer(count);
  require((from == nullptr) == (to == nullptr), CUDA_ERROR_INVALID_VALUE,
          "both ends of the edges are asked for, or none");
  std::vector<CUgraphNode> sources;
  std::vector<CUgraphNode> targets;
  for (const Edge& edge : edges_of(*graphs().find(graph))) {
    sources.push_back(edge.from);
    targets.push_back(edge.to);
  }
  give(sources, from, *count);
  give(targets, to, *count);
  if (data != nullptr) std::fill_n(data, std::min(*count, sources.size()), CUgraphEdgeData{});
  give_number(sources.size(), from != nullptr, count);
}

// The other ends of the edges that begin or end at a node.
void give_neighbours(CUgraphNode node, CUgraphNode Edge::*own, CUgraphNode Edge::*other,
                     CUgraphNode* nodes, CUgraphEdgeData* data, std::size_t* count) {
  require_pointer(count);
  std::vector<CUgraphNode> found;
  for (const Edge& edge : edges_of(*graph_of(node))) {
    if (edge.*own == node) found.push_back(edge.*other);
  }
  give(found, nodes, *count);
  if (data != nullptr) std::fill_n(data, std::min(*count, found.size()), CUgraphEdgeData{});
  give_number(found.size(), nodes != nullptr, count);
}

bool depends(const GraphNode& node, const GraphNode* before) {
  const auto& all = node.dependencies;
  return std::find(all.begin(), all.end(), before) != all.end();
}

CUresult change_dependencies(
    CUgraph handle, const CUgraphNode* from, const CUgraphNode* to, const CUgraphEdgeData* data,
    std::size_t count, bool is_added,
    const std::source_location& entry_point = std::source_location::current()) {
  return answer(entry_point, [&] {
    const auto graph = graphs().find(handle);
    require_plain(data, count);
    for (std::size_t index = 0; index < count; ++index) {
      const GraphNode* const before = graph->find(from[index]);
      GraphNode& node = *graph->find(to[index]);
      require(depends(node, before) != is_added, CUDA_ERROR_INVALID_VALUE,
              is_added ? "the dependency is there already" : "there is no such dependency");
      if (is_added) {
        node.dependencies.push_back(before);
      } else {
        std::erase(node.dependencies, before);
      }
    }
  });
}

}  // namespace

NPP_EXPORT CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode* from,
                                              const CUgraphNode* to, const CUgraphEdgeData* data,
                                              std::size_t count) {
  return change_dependencies(graph, from, to, data, count, true);
}

NPP_EXPORT CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode* from,
                                                 const CUgraphNode* to, const CUgraphEdgeData* data,
                                                 std::size_t count) {
  return change_dependencies(graph, from, to, data, count, false);
}

NPP_EXPORT CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode* from, CUgraphNode* to,
                                       CUgraphEdgeData* data, std::size_t* count) {
  return answer([&] { give_edges(graph, from, to, data, count); });
}

NPP_EXPORT CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode* nodes,
                                                  CUgraphEdgeData* data, std::size_t* count) {
  return answer([&] { give_neighbours(node, &Edge::to, &Edge::from, nodes, data, count); });
}

NPP_EXPORT CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode* nodes,
                                                    CUgraphEdgeData* data, std::size_t* count) {
  return answer([&] { give_neighbours(node, &Edge::from, &Edge::to, nodes, data, count); });
}

NPP_EXPORT CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode* roots, std::size_t* count) {
  return answer([&] {
    require_pointer(count);
    std::vector<CUgraphNode> found;
    for (const auto& node : graphs().find(graph)->nodes()) {
      if (node->dependencies.empty()) found.push_back(node->handle);
    }
    give(found, roots, *count);
    give_number(found.size(), roots != nullptr, count);
  });
}

// The older functions, without data of the edges. The macros of cuda.h would give them the names of
// the newer.
#undef cuGraphAddDependencies
#undef cuGraphRemoveDependencies
#undef cuGraphGetEdges
#undef cuGraphNodeGetDependencies
#undef cuGraphNodeGetDependentNodes

NPP_EXPORT CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode* from,
                                           const CUgraphNode* to, std::size_t count) {
  return change_dependencies(graph, from, to, nullptr, count, true);
}

NPP_EXPORT CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode* from,
                                              const CUgraphNode* to, std::size_t count) {
  return change_dependencies(graph, from, to, nullptr, count, false);
}

NPP_EXPORT CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode* from, CUgraphNode* to,
                                    std::size_t* count) {
  return answer([&] { give_edges(graph, from, to, nullptr, count); });
}

NPP_EXPORT CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode* nodes,
                                               std::size_t* count) {
  return answer([&] { give_neighbours(node, &Edge::to, &Edge::from, nodes, nullptr, count); });
}

NPP_EXPORT CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode* nodes,
                                                 std::size_t* count) {
  return answer([&] { give_neighbours(node, &Edge::from, &Edge::to, nodes, nullptr, count); });
}
