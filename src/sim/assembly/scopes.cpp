// Names of a function's body.
#include "numpy_plugin/sim/assembly/scopes.hpp"

#include <charconv>
#include <utility>

#include "numpy_plugin/sim/assembly/lexer.hpp"
#include "numpy_plugin/sim/assembly/parse.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::size_t kDeepestScope = 64;
constexpr std::size_t kIndexDigits = 7;  // of a register in a range

bool is_digit(char character) { return character >= '0' && character <= '9'; }

[[noreturn]] void fail_duplicate(std::string_view name, int line, int earlier_line) {
  throw PtxError(line, quoted(name) + " is declared on line " + std::to_string(earlier_line) +
                           " of the same scope already");
}

}  // namespace

void Scopes::open(int line) {
  if (scopes_.size() > kDeepestScope) {
    throw PtxError(line, "more than " + std::to_string(kDeepestScope) + " scopes within another");
  }
  scopes_.emplace_back();
}

void Scopes::close() {
  const std::vector<OpenReference> rest = close_innermost();
  for (const OpenReference& reference : rest) add(reference);
}

void Scopes::close_last(ModuleUse& use) {
  for (const OpenReference& reference : close_innermost()) {
    use.symbols.emplace(reference.name, reference.line);
  }
}

std::vector<OpenReference> Scopes::close_innermost() {
  const Scope closed = std::move(scopes_.back());
  scopes_.pop_back();
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
    operand.index = label->second.statement;
  }
  return rest;
}

void Scopes::declare(std::string_view name, Name declared) {
  Scope& scope = scopes_.back();
  const int line = declared.line;
  const auto [entry, is_new] = scope.names.emplace(name, std::move(declared));
  if (!is_new) fail_duplicate(name, line, entry->second.line);
}

void Scopes::declare_register(std::string_view name, std::uint32_t index, int line) {
  declare(name, {line, true, index, {}});
}

void Scopes::declare_registers(std::string_view prefix, std::uint32_t first, std::uint32_t count,
                               int line) {
  const auto [entry, is_new] = scopes_.back().ranges.emplace(prefix, Range{line, first, count});
  if (!is_new) fail_duplicate(prefix, line, entry->second.line);
}

void Scopes::declare_label(std::string_view name, int line) {
  const auto index = static_cast<std::uint32_t>(function_.statements.size());
  const auto [entry, is_new] = scopes_.back().labels.emplace(name, Label{line, index});
  if (!is_new) fail_duplicate(name, line, entry->second.line);
}

// '#' is no character of a name: none of the module can be the same.
std::string Scopes::declare_symbol(std::string_view name, int line) {
  const std::string& key = symbols_.emplace_back(name);
  std::string unique = key;
  if (depth() > 1) unique += "#" + std::to_string(++n_symbols_[key]);
  declare(key, {line, false, 0, unique});
  return unique;
}

// "%r12" may be number 12 of %r<..> or 2 of %r1<..>.
std::optional<std::uint32_t> Scopes::find_in_ranges(const Scope& scope, std::string_view name) {
  if (scope.ranges.empty()) return std::nullopt;
  std::size_t begin = name.size();
  std::optional<std::uint32_t> found;
  while (!found && begin > 1 && name.size() - begin < kIndexDigits && is_digit(name[begin - 1])) {
    --begin;
    if (name[begin] == '0' && begin + 1 < name.size()) continue;
    const auto range = scope.ranges.find(name.substr(0, begin));
    if (range == scope.ranges.end()) continue;
    std::uint32_t number = 0;
    std::from_chars(name.data() + begin, name.data() + name.size(), number);
    if (number < range->second.count) found = range->second.first + number;
  }
  return found;
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
