// Static shared variables are contiguous, kernel by kernel, followed by the dynamic ones.
#include "simulator/decode/shared_layout.hpp"

#include <algorithm>
#include <string>

#include "simulator/assembly/parse.hpp"
#include "simulator/program/program.hpp"
#include "simulator/program/spelling.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::uint64_t kMostStaticBytes = 48 << 10;  // limit of CUDA's own assembler
constexpr std::uint32_t kDynamicAlignment = 16;

std::uint64_t align(std::uint64_t offset, std::uint64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

bool is_dynamic(const Variable& variable) { return variable.is_extern; }

}  // namespace

SharedLayout::SharedLayout(const SymbolTable& symbols)
    : reserved_(symbols.functions().size()),
      ends_(symbols.functions().size()),
      dynamic_starts_(symbols.functions().size()) {
  const bool has_shared =
      std::any_of(symbols.variables().begin(), symbols.variables().end(),
                  [](const Symbol* symbol) { return symbol->variable->space == Space::kShared; });
  const bool has_reserved =
      std::any_of(symbols.functions().begin(), symbols.functions().end(),
                  [](const Symbol* symbol) { return symbol->function->uses_reserved_shared; });
  if (!has_shared && !has_reserved) return;
  const CallGraph graph(symbols);
  if (has_reserved) reserve(symbols, graph);
  const std::vector<Use> uses = find_uses(symbols, graph);
  std::unordered_map<const Variable*, Kernels> kernels_of;
  for (const Use& use : uses) {
    Kernels& kernels = kernels_of[use.variable];
    if (kernels.empty() || kernels.back() != use.kernel) kernels.push_back(use.kernel);
  }
  for (const Symbol* symbol : symbols.variables()) {
    const auto kernels = kernels_of.find(symbol->variable);
    if (kernels != kernels_of.end() && !is_dynamic(*symbol->variable))
      place(*symbol->variable, symbols, kernels->second);
  }
  place_dynamic(uses);
}

void SharedLayout::reserve(const SymbolTable& symbols, const CallGraph& graph) {
  for (const Symbol* symbol : symbols.functions()) {
    if (!symbol->function->is_entry) continue;
    for (const std::uint32_t function : graph.reachable(symbol->index)) {
      if (!symbols.functions()[function]->function->uses_reserved_shared) continue;
      reserved_[symbol->index] = kReservedSharedBytes;
      ends_[symbol->index] = kReservedSharedBytes;
    }
  }
}

std::vector<SharedLayout::Use> SharedLayout::find_uses(const SymbolTable& symbols,
                                                       const CallGraph& graph) {
  std::vector<Use> uses;
  for (const Symbol* symbol : symbols.functions()) {
    if (!symbol->function->is_entry) continue;
    for (const std::uint32_t function : graph.reachable(symbol->index)) {
      for (const Variable* variable : graph.shared_variables(function))
        uses.push_back({symbol->index, function, variable});
    }
  }
  return uses;
}

void SharedLayout::place(const Variable& variable, const SymbolTable& symbols,
                         const Kernels& kernels) {
  const std::uint32_t fullest = *std::max_element(
      kernels.begin(), kernels.end(),
      [&](std::uint32_t one, std::uint32_t other) { return ends_[one] < ends_[other]; });
  std::uint64_t reserved = 0;
  for (const std::uint32_t kernel : kernels) {
    reserved = std::max<std::uint64_t>(reserved, reserved_[kernel]);
  }
  const std::uint64_t offset = align(ends_[fullest], variable.alignment_bytes);
  const std::uint64_t most = kMostStaticBytes + reserved;
  if (variable.n_bytes > most || offset > most - variable.n_bytes) {
    throw PtxError(variable.line,
                   format("the shared variables of kernel '{}' up to '{}' take {} bytes; expected "
                          "at most {}, the rest as dynamic shared memory",
                          readable_name(symbols.functions()[fullest]->function->name),
                          readable_name(variable.name),
                          offset - reserved_[fullest] + variable.n_bytes, kMostStaticBytes));
  }
  addresses_[&variable] = static_cast<std::uint32_t>(offset);
  for (const std::uint32_t kernel : kernels)
    ends_[kernel] = static_cast<std::uint32_t>(offset + variable.n_bytes);
}

// Kernels that reach the same function with dynamic variables place them at the same offset.
void SharedLayout::place_dynamic(const std::vector<Use>& uses) {
  std::uint32_t alignment = kDynamicAlignment;
  for (const Use& use : uses) {
    if (is_dynamic(*use.variable)) alignment = std::max(alignment, use.variable->alignment_bytes);
  }
  bool is_settled = false;
  while (!is_settled) {
    is_settled = true;
    for (const Use& use : uses) {
      if (!is_dynamic(*use.variable)) continue;
      std::uint32_t& start = dynamic_starts_[use.function];
      const auto end = static_cast<std::uint32_t>(align(ends_[use.kernel], alignment));
      is_settled &= start == end && ends_[use.kernel] == end;
      start = std::max(start, end);
      ends_[use.kernel] = start;
    }
  }
}

std::uint32_t SharedLayout::address(const Variable& variable, std::uint32_t function) const {
  if (is_dynamic(variable)) return dynamic_starts_[function];
  const auto place = addresses_.find(&variable);
  return place == addresses_.end() ? 0 : place->second;  // unreachable from kernels
}

}  // namespace numpy_plugin::sim
