// Collects the definitions of all modules; weak ones yield, other duplicates are an error.
#include "simulator/decode/symbols.hpp"

#include <algorithm>
#include <string>

#include "numpy_plugin/system/fork.hpp"
#include "simulator/assembly/parse.hpp"
#include "simulator/program/program.hpp"

namespace numpy_plugin::sim {
namespace {

// A function declared .extern in programs and provided by the engine; sizes of results and
// parameters.
struct Syscall {
  std::string_view name;
  std::vector<std::uint64_t> results;
  std::vector<std::uint64_t> parameters;
};

std::vector<Syscall> all_syscalls() {
  return {
      {"vprintf", {4}, {8, 8}},
      {"malloc", {8}, {8}},
      {"free", {}, {8}},
      {"__assertfail", {}, {8, 8, 4, 8, 8}},
      {"__cuda_syscall_aligned_malloc", {8}, {8, 8}},
  };
}

const Syscall* find_syscall(std::string_view name) {
  const auto& syscalls = system::made_once<all_syscalls>();
  const auto place = std::find_if(syscalls.begin(), syscalls.end(),
                                  [&](const Syscall& candidate) { return candidate.name == name; });
  return place == syscalls.end() ? nullptr : &*place;
}

bool has_sizes(const std::vector<Variable>& variables, const std::vector<std::uint64_t>& sizes) {
  return std::equal(
      variables.begin(), variables.end(), sizes.begin(), sizes.end(),
      [](const Variable& variable, std::uint64_t n_bytes) { return variable.n_bytes == n_bytes; });
}

void check_syscall(const Function& function, const Syscall& syscall) {
  if (has_sizes(function.results, syscall.results) &&
      has_sizes(function.parameters, syscall.parameters))
    return;
  throw PtxError(
      function.line,
      format("'{}' is declared with other parameters than the CUDA function of that name has",
             function.name));
}

bool is_weak(const Symbol& symbol) {
  return symbol.function != nullptr ? symbol.function->is_weak : symbol.variable->is_weak;
}

bool is_shared_by_modules(const Symbol& symbol) {
  if (symbol.function != nullptr) return symbol.function->is_visible || symbol.function->is_weak;
  return symbol.variable->is_visible || symbol.variable->is_weak;
}

const std::string& name_of(const Symbol& symbol) {
  return symbol.function != nullptr ? symbol.function->name : symbol.variable->name;
}

int line_of(const Symbol& symbol) {
  return symbol.function != nullptr ? symbol.function->line : symbol.variable->line;
}

}  // namespace

SymbolTable::SymbolTable(const std::vector<Module>& modules)
    : own_(modules.size()), aliases_(modules.size()) {
  for (std::size_t module = 0; module < modules.size(); ++module)
    add_definitions(module, modules[module]);
  for (std::size_t module = 0; module < modules.size(); ++module)
    add_syscalls(module, modules[module]);
  for (std::size_t module = 0; module < modules.size(); ++module)
    add_aliases(module, modules[module]);
  list_standing();
}

void SymbolTable::add_definitions(std::size_t module, const Module& syntax) {
  for (const Variable& variable : syntax.variables) {
    const bool is_definition = !variable.is_extern || variable.space == Space::kShared;
    if (is_definition) add({.module = module, .variable = &variable});
  }
  for (const Function& function : syntax.functions) {
    if (!function.is_extern) add({.module = module, .function = &function});
    for (const Variable& variable : function.variables) {
      if (variable.space == Space::kShared)
        definitions_.push_back({.module = module, .variable = &variable, .only_user = &function});
    }
  }
}

void SymbolTable::add_aliases(std::size_t module, const Module& syntax) {
  for (const Alias& alias : syntax.aliases) {
    aliases_[module].emplace(alias.name, alias.target);
    const auto declares = [&](const Function& function) { return function.name == alias.name; };
    const auto declaration =
        std::find_if(syntax.functions.begin(), syntax.functions.end(), declares);
    const bool is_shared =
        declaration != syntax.functions.end() && (declaration->is_visible || declaration->is_weak);
    if (is_shared) visible_.emplace(alias.name, find(module, alias.target));
  }
}

void SymbolTable::add(const Symbol& symbol) {
  definitions_.push_back(symbol);
  Symbol& added = definitions_.back();
  const bool is_new = own_[added.module].emplace(name_of(added), &added).second;
  if (!is_new)
    throw PtxError(line_of(added), format("'{}' is defined twice in this module", name_of(added)));
  if (is_shared_by_modules(added)) meet(added);
}

// The first definition of a name is used, except that a weak one yields.
void SymbolTable::meet(Symbol& symbol) {
  Symbol*& standing = visible_.emplace(name_of(symbol), &symbol).first->second;
  if (standing == &symbol || is_weak(symbol)) return;
  if (!is_weak(*standing))
    throw PtxError(line_of(symbol),
                   format("'{}' is defined by two of the modules that are linked; expected one",
                          name_of(symbol)));
  standing = &symbol;
}

void SymbolTable::add_syscalls(std::size_t module, const Module& syntax) {
  for (const Function& function : syntax.functions) {
    const Syscall* syscall = function.is_extern ? find_syscall(function.name) : nullptr;
    if (syscall == nullptr) continue;
    const Symbol* known = find(module, function.name);
    if (known != nullptr && !known->is_syscall) continue;
    check_syscall(function, *syscall);
    if (known != nullptr) continue;
    definitions_.push_back({.module = module, .function = &function, .is_syscall = true});
    visible_.emplace(function.name, &definitions_.back());
  }
}

void SymbolTable::list_standing() {
  for (Symbol& symbol : definitions_) {
    const bool stands =
        symbol.only_user != nullptr || find(symbol.module, name_of(symbol)) == &symbol;
    if (!stands) continue;
    if (symbol.variable != nullptr) {
      variables_.push_back(&symbol);
      continue;
    }
    symbol.index = static_cast<std::uint32_t>(functions_.size());
    symbol.address = kCodeBase + symbol.index * kCodeStep;
    functions_.push_back(&symbol);
  }
}

Symbol* SymbolTable::find(std::size_t module, std::string_view name) const {
  if (const auto alias = aliases_[module].find(name); alias != aliases_[module].end())
    name = alias->second;
  const auto own = own_[module].find(name);
  if (own != own_[module].end() && !is_shared_by_modules(*own->second)) return own->second;
  const auto visible = visible_.find(name);
  return visible == visible_.end() ? nullptr : visible->second;
}

}  // namespace numpy_plugin::sim
