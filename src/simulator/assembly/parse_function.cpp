// The head of a function: name, results, parameters, launch bounds.
#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "simulator/assembly/function_parser.hpp"
#include "simulator/assembly/literal.hpp"
#include "simulator/assembly/parse.hpp"
#include "simulator/assembly/parse_variable.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::uint32_t kLargestExtent = std::numeric_limits<std::uint32_t>::max();

// Directives between the parameters and the body that are ignored; numbers may follow.
constexpr std::string_view kSkippedDirectives[] = {
    ".minnctapersm",   ".maxnctapersm",         ".maxnreg",           ".noreturn",
    ".maxclusterrank", ".explicitcluster",      ".reqnctapercluster", ".blocksareclusters",
    ".abi_preserve",   ".abi_preserve_control",
};

struct Extents {
  std::array<std::uint32_t, 3> sizes = {1, 1, 1};
  std::uint32_t product = 1;
};

// ".maxntid 128" and ".maxntid 16, 8, 1"
Extents parse_extents(Lexer& lexer) {
  const Token directive = lexer.take();
  Extents extents;
  std::size_t axis = 0;
  std::uint64_t product = 1;
  do {
    if (axis == extents.sizes.size()) lexer.fail_expected("at most three numbers of threads");
    const std::uint64_t size = parse_count(lexer, "a number of threads", kLargestExtent);
    product *= size;
    if (product == 0 || product > kLargestExtent) {
      throw PtxError(directive.line, quoted(directive.text) +
                                         " does not give a number of threads from 1 to " +
                                         std::to_string(kLargestExtent));
    }
    extents.sizes[axis++] = static_cast<std::uint32_t>(size);
  } while (lexer.accept(","));
  extents.product = static_cast<std::uint32_t>(product);
  return extents;
}

void skip_directive_with_numbers(Lexer& lexer) {
  lexer.take();
  while (lexer.is(Token::Kind::kNumber) || lexer.is(",")) lexer.take();
}

void parse_tuning(Lexer& lexer, Function& function) {
  while (lexer.is(Token::Kind::kDirective)) {
    if (lexer.is(".maxntid")) {
      function.max_threads = parse_extents(lexer).product;
    } else if (lexer.is(".reqntid")) {
      const Extents extents = parse_extents(lexer);
      function.max_threads = extents.product;
      std::copy(extents.sizes.begin(), extents.sizes.end(), function.required_threads);
    } else if (lexer.is(".pragma")) {
      lexer.skip_statement();
    } else if (std::ranges::find(kSkippedDirectives, lexer.token().text) !=
               std::end(kSkippedDirectives)) {
      skip_directive_with_numbers(lexer);
    } else {
      lexer.fail_expected("'{' or ';' after the head of a function");
    }
  }
}

void parse_head(Lexer& lexer, Function& function) {
  function.line = lexer.line();
  function.is_entry = lexer.is(".entry");
  lexer.take();
  if (!function.is_entry && lexer.is("(")) function.results = parse_parameters(lexer);
  function.name = lexer.expect_name("the name of a function");
  if (lexer.is("(")) function.parameters = parse_parameters(lexer);
  parse_tuning(lexer, function);
}

}  // namespace

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
