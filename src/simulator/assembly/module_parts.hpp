// Parts of a module, and the state that their parsers share.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "simulator/assembly/lexer.hpp"
#include "simulator/assembly/syntax.hpp"
#include "simulator/assembly/types.hpp"

namespace numpy_plugin::sim {

// Parser of .file and .loc, which give the source lines of instructions.
class SourceLines {
 public:
  // ".file 1 "add.cu", 1700000000, 4096"
  void parse_file(Lexer& lexer);
  // ".loc 2 5710 1, function_name $L__name, inlined_at 1 331 28": returns its index, or kNoLocation
  // for line 0, which stands for no line.
  std::uint32_t parse_location(Lexer& lexer);

  const std::map<std::uint32_t, std::string>& files() const { return files_; }
  const std::vector<SourceLocation>& locations() const { return locations_; }

 private:
  using Point = std::array<std::uint32_t, 3>;  // file, line, column

  static Point parse_point(Lexer& lexer);

  std::map<std::uint32_t, std::string> files_;
  std::vector<SourceLocation> locations_;
  std::map<Point, std::uint32_t> latest_;  // index of a point's last location
};

// State shared by the parsers of a module's parts.

// Linkage directives before a variable or function.
struct Linkage {
  bool is_extern = false;
  bool is_visible = false;
  bool is_weak = false;
  bool is_common = false;  // also is_weak
};

// Module-level names and properties used by its parts.
struct ModuleUse {
  // Unresolved names, each with the line of its first use; views into the text or `names`.
  std::unordered_map<std::string_view, int> symbols;
  std::deque<std::string> names;  // that are not part of the text
  std::uint64_t n_registers = 0;
  // .global and .const variables of the last function's body, under names unique in the module.
  std::vector<Variable> body_variables;
  SourceLines lines;
};

// Declarations of variables and parameters.

// The space of ".global" and similar directives; nullopt for others.
std::optional<Space> find_space(std::string_view directive);

// Parses a type directive.
Type parse_type(Lexer& lexer);

// Parses ".v2" or ".v4"; 1 without.
std::uint32_t parse_vector(Lexer& lexer);

// Throws PtxError for elements that make no vector.
void check_vector_type(Type element, std::uint32_t n_elements, int line);

// Parses a declaration from its space to its ';': .shared .align 4 .b8 x[4] = {1, 2}, y;
std::vector<Variable> parse_variables(Lexer& lexer, const Linkage& linkage, ModuleUse& use);

enum class ParameterKinds : std::uint8_t { kParam, kParamOrRegister };

// Parses "(.param .b64 x, .reg .b32 y, ...)".
std::vector<Variable> parse_parameters(Lexer& lexer, ParameterKinds kinds);

// Initializers of variables. Parses the text after '=': a value, or values in braces nested like
// the dimensions. Missing ones are zero. An array declared as x[] (first dimension 0) gets its size
// here. Symbols whose addresses are among the values are added to `use`.
void parse_initializers(Lexer& lexer, Variable& variable,
                        const std::vector<std::uint64_t>& dimensions, ModuleUse& use);

}  // namespace numpy_plugin::sim
