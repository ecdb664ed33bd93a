// Names in a function's body.
#include "simulator/assembly/scopes.hpp"

#include <algorithm>
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

Operand symbol_operand(const std::string& name) {
  Operand operand;
  operand.kind = Operand::Kind::kSymbol;
  operand.name = name;
  return operand;
}

// A vector's elements are contiguous.
Operand register_operand(std::uint32_t first, std::uint32_t n_elements) {
  Operand operand;
  if (n_elements == 1) {
    operand.kind = Operand::Kind::kRegister;
    operand.index = first;
    return operand;
  }
  operand.kind = Operand::Kind::kVector;
  for (std::uint32_t element = 0; element < n_elements; ++element)
    operand.parts.push_back(register_operand(first + element, 1));
  return operand;
}

}  // namespace

void Scopes::open(int line) {
  if (scopes_.size() > kDeepestScope) {
    throw PtxError(line, format("more than {} scopes within another", kDeepestScope));
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

void Scopes::declare_register(std::string_view name, std::uint32_t index, std::uint32_t n_elements,
                              int line) {
  if (find_in_ranges(scopes_.back(), name)) fail_duplicate(name, line);
  declare(name, {index, n_elements, {}}, line);
  has_vectors_ |= n_elements > 1;
}

void Scopes::declare_registers(std::string_view prefix, const RegisterRange& range, int line) {
  Scope& scope = scopes_.back();
  const bool is_first = scope.names.empty() && scope.ranges.empty();
  for (std::uint32_t number = 0; number < range.count && !is_first; ++number) {
    const std::string name = std::string(prefix) + std::to_string(number);
    if (scope.names.contains(name) || find_in_ranges(scope, name)) fail_duplicate(name, line);
  }
  if (range.count > 0) scope.ranges.emplace(prefix, range);
  has_vectors_ |= range.n_elements > 1;
}

void Scopes::declare_label(std::string_view name, int line) {
  const auto index = static_cast<std::uint32_t>(function_.statements.size());
  const auto [entry, is_new] = scopes_.back().labels.emplace(name, index);
  if (!is_new) fail_duplicate(name, line);
}

// '#' can't occur in a name: distinct from all names of the module.
std::string Scopes::declare_symbol(std::string_view name, int line, const std::string& prefix) {
  const std::string& key = symbols_.emplace_back(name);
  std::string unique = prefix + std::string(name);
  if (depth() > 1) unique += format("#{}", ++n_symbols_[key]);
  declare(key, {0, 0, unique}, line);
  return unique;
}

// "%r12" may be number 12 of %r<..> or number 2 of %r1<..>.
std::optional<Scopes::Registers> Scopes::find_in_ranges(const Scope& scope, std::string_view name) {
  if (scope.ranges.empty()) return std::nullopt;
  std::size_t begin = name.size();
  while (begin > 1 && name.size() - begin < kIndexDigits && is_decimal_digit(name[begin - 1]))
    --begin;
  for (; begin < name.size(); ++begin) {
    if (name[begin] == '0' && begin + 1 < name.size()) continue;
    const auto found = scope.ranges.find(name.substr(0, begin));
    if (found == scope.ranges.end()) continue;
    const RegisterRange& range = found->second;
    std::uint32_t number = 0;
    std::from_chars(name.data() + begin, name.data() + name.size(), number);
    if (number < range.count)
      return Registers{range.first + number * range.n_elements, range.n_elements};
  }
  return std::nullopt;
}

std::optional<Operand> Scopes::find(std::string_view name) const {
  std::optional<Operand> found = find_whole(name);
  if (!found && has_vectors_) found = find_element(name);
  return found;
}

std::optional<Operand> Scopes::find_whole(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto entry = scope->names.find(name);
    if (entry != scope->names.end()) {
      const Name& declared = entry->second;
      return declared.n_elements == 0 ? symbol_operand(declared.symbol)
                                      : register_operand(declared.index, declared.n_elements);
    }
    if (const auto registers = find_in_ranges(*scope, name))
      return register_operand(registers->first, registers->n_elements);
  }
  return std::nullopt;
}

// "v.x" or "v.r", where v is a vector.
std::optional<Operand> Scopes::find_element(std::string_view name) const {
  if (name.size() < 3 || name[name.size() - 2] != '.') return std::nullopt;
  std::optional<Operand> vector = find_whole(name.substr(0, name.size() - 2));
  if (!vector || vector->kind != Operand::Kind::kVector) return std::nullopt;
  const std::size_t position = std::min(std::string_view("xyzw").find(name.back()),
                                        std::string_view("rgba").find(name.back()));
  if (position >= vector->parts.size()) return std::nullopt;
  return std::move(vector->parts[position]);
}

}  // namespace numpy_plugin::sim
