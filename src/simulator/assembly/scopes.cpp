// Names in a function's body.
#include "simulator/assembly/scopes.hpp"

#include <charconv>
#include <utility>

#include "simulator/assembly/lexer.hpp"
#include "simulator/assembly/parse.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::size_t kDeepestScope = 64;
constexpr std::size_t kIndexDigits = 7;  // of a register in a range

bool is_decimal_digit(char character) { return character >= '0' && character <= '9'; }

[[noreturn]] void fail_duplicate(std::string_view name, int line) {
  throw PtxError(line, quoted(name) + " is declared in this scope already");
}

}  // namespace

void Scopes::open(int line) {
  if (scopes_.size() > kDeepestScope) {
    throw PtxError(line, "more than " + std::to_string(kDeepestScope) + " scopes within another");
  }
  scopes_.emplace_back();
}

void Scopes::close() {
  std::vector<OpenReference> rest = close_innermost();
  std::vector<OpenReference>& outer = scopes_.back().open_references;
  if (outer.empty()) {
    outer = std::move(rest);
  } else {
    outer.insert(outer.end(), rest.begin(), rest.end());
  }
}

void Scopes::close_last(ModuleUse& use) {
  for (const OpenReference& reference : close_innermost()) {
    use.symbols.emplace(reference.name, reference.line);
  }
}

std::vector<OpenReference> Scopes::close_innermost() {
  Scope closed = std::move(scopes_.back());
  scopes_.pop_back();
  if (closed.labels.empty()) return std::move(closed.open_references);
  std::vector<OpenReference> rest;
  for (const OpenReference& reference : closed.open_references) {
    const auto label = closed.labels.find(reference.name);
    if (label == closed.labels.end()) {
      rest.push_back(reference);
      continue;
    }
    Operand& operand = function_.statements[reference.statement].operands[reference.operand];
    operand = Operand{};
    operand.kind = Operand::Kind::kLabel;
    operand.index = label->second;
  }
  return rest;
}

void Scopes::declare(std::string_view name, Name declared, int line) {
  const auto [entry, is_new] = scopes_.back().names.emplace(name, std::move(declared));
  if (!is_new) fail_duplicate(name, line);
}

void Scopes::declare_register(std::string_view name, std::uint32_t index, int line) {
  if (find_in_ranges(scopes_.back(), name)) fail_duplicate(name, line);
  declare(name, {true, index, {}}, line);
}

void Scopes::declare_registers(std::string_view prefix, std::uint32_t first, std::uint32_t count,
                               int line) {
  Scope& scope = scopes_.back();
  for (std::uint32_t index = first; index < first + count; ++index) {
    const std::string& name = function_.register_names[index];
    if (scope.names.contains(name) || find_in_ranges(scope, name)) fail_duplicate(name, line);
  }
  if (count > 0) scope.ranges.emplace(prefix, Range{first, count});
}

void Scopes::declare_label(std::string_view name, int line) {
  const auto index = static_cast<std::uint32_t>(function_.statements.size());
  const auto [entry, is_new] = scopes_.back().labels.emplace(name, index);
  if (!is_new) fail_duplicate(name, line);
}

// '#' can't occur in a name: distinct from all names of the module.
std::string Scopes::declare_symbol(std::string_view name, int line) {
  const std::string& key = symbols_.emplace_back(name);
  std::string unique = key;
  if (depth() > 1) unique += "#" + std::to_string(++n_symbols_[key]);
  declare(key, {false, 0, unique}, line);
  return unique;
}

// "%r12" may be number 12 of %r<..> or number 2 of %r1<..>.
std::optional<std::uint32_t> Scopes::find_in_ranges(const Scope& scope, std::string_view name) {
  if (scope.ranges.empty()) return std::nullopt;
  std::size_t begin = name.size();
  while (begin > 1 && name.size() - begin < kIndexDigits && is_decimal_digit(name[begin - 1]))
    --begin;
  for (; begin < name.size(); ++begin) {
    if (name[begin] == '0' && begin + 1 < name.size()) continue;
    const auto range = scope.ranges.find(name.substr(0, begin));
    if (range == scope.ranges.end()) continue;
    std::uint32_t number = 0;
    std::from_chars(name.data() + begin, name.data() + name.size(), number);
    if (number < range->second.count) return range->second.first + number;
  }
  return std::nullopt;
}

std::optional<Operand> Scopes::find(std::string_view name) const {
  Operand operand;
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto entry = scope->names.find(name);
    if (entry != scope->names.end() && !entry->second.is_register) {
      operand.kind = Operand::Kind::kSymbol;
      operand.name = entry->second.symbol;
      return operand;
    }
    const std::optional<std::uint32_t> index = entry != scope->names.end()
                                                   ? std::optional(entry->second.index)
                                                   : find_in_ranges(*scope, name);
    if (index) {
      operand.kind = Operand::Kind::kRegister;
      operand.index = *index;
      return operand;
    }
  }
  return std::nullopt;
}

}  // namespace numpy_plugin::sim
