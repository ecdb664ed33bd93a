// The head of a function: name, results, parameters, launch bounds.
#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "simulator/assembly/function_parser.hpp"
#include "simulator/assembly/lexer.hpp"
#include "simulator/assembly/module_parts.hpp"
#include "simulator/assembly/parse.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::uint32_t kLargestExtent = std::numeric_limits<std::uint32_t>::max();

constexpr std::uint32_t kLargestCluster = 16;  // of any architecture, in blocks

// Directives between the parameters and the body without an effect here: hints to the assembler,
// and limits that a launch is not checked against.
struct IgnoredDirective {
  std::string_view name;
  std::uint32_t n_numbers = 0;
};
constexpr IgnoredDirective kIgnoredDirectives[] = {
    {".minnctapersm", 1},      {".maxnctapersm", 1},   {".maxnreg", 1},
    {".noreturn", 0},          {".maxclusterrank", 1}, {".explicitcluster", 0},
    {".blocksareclusters", 0}, {".abi_preserve", 1},   {".abi_preserve_control", 1},
};

// Directives that exclude another one, and those that need another one.
constexpr std::pair<std::string_view, std::string_view> kConflicts[] = {
    {".maxntid", ".reqntid"}, {".maxclusterrank", ".reqnctapercluster"}};
constexpr std::pair<std::string_view, std::string_view> kNeeds[] = {
    {".blocksareclusters", ".reqntid"}, {".blocksareclusters", ".reqnctapercluster"}};
// Of functions; all others are of kernels.
constexpr std::string_view kFunctionDirectives[] = {".noreturn", ".abi_preserve",
                                                    ".abi_preserve_control"};

struct Extents {
  std::array<std::uint32_t, 3> sizes = {1, 1, 1};
  std::uint32_t product = 1;
};

// ".maxntid 128" and ".maxntid 16, 8, 1"; `what` is counted.
Extents parse_extents(Lexer& lexer, const std::string& what, std::uint32_t largest) {
  const Token directive = lexer.take();
  Extents extents;
  std::size_t axis = 0;
  std::uint64_t product = 1;
  do {
    if (axis == extents.sizes.size()) lexer.fail_expected("at most three numbers of " + what);
    const std::uint64_t size = parse_count(lexer, "a number of " + what, kLargestExtent);
    product *= size;
    if (product == 0 || product > largest) {
      throw PtxError(directive.line, format("{} does not give a number of {} from 1 to {}",
                                            quoted(directive.text), what, largest));
    }
    extents.sizes[axis++] = static_cast<std::uint32_t>(size);
  } while (lexer.accept(","));
  extents.product = static_cast<std::uint32_t>(product);
  return extents;
}

bool skip_ignored_directive(Lexer& lexer) {
  const auto* found =
      std::ranges::find(kIgnoredDirectives, lexer.token().text, &IgnoredDirective::name);
  if (found == std::end(kIgnoredDirectives)) return false;
  lexer.take();
  for (std::uint32_t number = 0; number < found->n_numbers; ++number)
    parse_count(lexer, "a number after " + quoted(found->name), kLargestExtent);
  return true;
}

void check_tuning(const std::vector<std::string_view>& found, const Function& function, int line) {
  const auto has = [&](std::string_view name) {
    return std::ranges::find(found, name) != found.end();
  };
  for (const auto& [first, second] : kConflicts) {
    if (has(first) && has(second))
      throw PtxError(line,
                     format("{} and {}; expected one of them", quoted(first), quoted(second)));
  }
  for (const auto& [name, needed] : kNeeds) {
    if (has(name) && !has(needed))
      throw PtxError(line, format("{} without {}; expected both", quoted(name), quoted(needed)));
  }
  for (const std::string_view name : found) {
    const bool is_of_function =
        std::ranges::find(kFunctionDirectives, name) != std::end(kFunctionDirectives);
    if (is_of_function == function.is_entry)
      throw PtxError(line, format("{} is a directive of {}; found it in {}", quoted(name),
                                  is_of_function ? "functions" : "kernels",
                                  is_of_function ? "a kernel" : "a function"));
  }
  if (has(".noreturn") && !function.results.empty())
    throw PtxError(line, "'.noreturn' of a function with results; expected none");
}

void parse_tuning(Lexer& lexer, Function& function) {
  std::vector<std::string_view> found;
  const int line = lexer.line();
  while (lexer.is(Token::Kind::kDirective)) {
    const std::string_view name = lexer.token().text;
    if (name == ".pragma") {
      lexer.skip_statement();
      continue;
    }
    if (name == ".maxntid") {
      function.max_threads = parse_extents(lexer, "threads", kLargestExtent).product;
    } else if (name == ".reqntid") {
      const Extents extents = parse_extents(lexer, "threads", kLargestExtent);
      function.max_threads = extents.product;
      std::copy(extents.sizes.begin(), extents.sizes.end(), function.required_threads);
    } else if (name == ".reqnctapercluster") {
      const Extents extents = parse_extents(lexer, "blocks", kLargestCluster);
      std::copy(extents.sizes.begin(), extents.sizes.end(), function.required_cluster);
    } else if (!skip_ignored_directive(lexer)) {
      lexer.fail_expected("'{' or ';' after the head of a function");
    }
    found.push_back(name);
  }
  check_tuning(found, function, line);
}

void parse_head(Lexer& lexer, Function& function) {
  function.line = lexer.line();
  function.is_entry = lexer.is(".entry");
  lexer.take();
  if (!function.is_entry && lexer.is("(")) {
    function.results = parse_parameters(lexer, ParameterKinds::kParamOrRegister);
  }
  function.name = lexer.expect_name("the name of a function");
  const ParameterKinds kinds =
      function.is_entry ? ParameterKinds::kParam : ParameterKinds::kParamOrRegister;
  if (lexer.is("(")) function.parameters = parse_parameters(lexer, kinds);
  parse_tuning(lexer, function);
}

}  // namespace

void skip_prototype_directives(Lexer& lexer) {
  while (skip_ignored_directive(lexer)) {
  }
}

Function parse_function(Lexer& lexer, const Linkage& linkage, ModuleUse& use) {
  Function function;
  function.is_visible = linkage.is_visible;
  function.is_weak = linkage.is_weak;
  parse_head(lexer, function);
  if (lexer.accept(";")) {
    function.is_extern = true;
    return function;
  }
  if (linkage.is_extern) lexer.fail_expected("';' after an .extern function");
  lexer.expect("{", "or ';' after the head of a function");
  BodyParser(lexer, function, use).parse();
  return function;
}

}  // namespace numpy_plugin::sim
