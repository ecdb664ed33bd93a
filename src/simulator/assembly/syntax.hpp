// PTX after parsing: names of registers, labels and scopes are resolved, instructions are not yet
// decoded. All text is owned here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simulator/assembly/types.hpp"

namespace numpy_plugin::sim {

struct Operand {
  enum class Kind : std::uint8_t {
    kRegister,  // index: in the function's registers; name: its selected part ("b0"), or empty
    kSpecial,   // name: of a special register ("%tid.x")
    kSymbol,    // name: of a variable or function; plus `bits`; x[i]: parts[0] is the index
    kLabel,     // index: of the labelled instruction
    kInteger,   // bits: 64, sign-extended
    kFloat32,   // bits: the low 32
    kFloat64,   // bits
    kAddress,   // [parts[0] + bits]; parts[0] is a register, a symbol or an integer; more parts
                // (coordinates of a texture or tensor) after commas
    kVector,    // {parts}
    kPair,      // parts[0] | parts[1]
    kList,      // (parts), in a call
    kSink,      // _
  };
  Kind kind = Kind::kSink;
  bool is_negated = false;  // !%p
  bool has_minus = false;   // -%r
  std::uint32_t index = 0;
  std::uint64_t bits = 0;
  std::string name;
  std::vector<Operand> parts;
};

struct Statement {
  std::string mnemonic;          // "ld.global.v2.f32"
  std::optional<Operand> guard;  // @%p and @!%p
  std::vector<Operand> operands;
  int line = 0;                          // 1-based, in the text of the module
  std::uint32_t location = kNoLocation;  // of Module::locations
};

// Part of a variable's initializer: bytes, or the address of a symbol.
struct Initializer {
  std::uint64_t offset = 0;
  std::string bytes;   // if symbol is empty
  std::string symbol;  // else of its address plus `addend`: `n_bytes` from `first_byte`
  std::int64_t addend = 0;
  std::uint32_t first_byte = 0;
  std::uint32_t n_bytes = 8;
  bool is_generic = false;  // generic(symbol)
};

struct Variable {
  // Unique in a function's body: "x" in its outermost scope, "x#1", "x#2" ... in inner ones.
  std::string name;
  Space space = Space::kGlobal;
  Type type = Type::kB8;
  std::uint32_t n_elements = 1;  // .v2 .v4
  std::uint32_t alignment_bytes = 1;
  std::uint64_t n_bytes = 0;  // at most 2^40 (.global, .const) or 2^24; 0 for `.extern .shared x[]`
  bool is_array = false;
  bool is_register = false;  // a parameter or result: .reg, in `first_register` of its function
  std::uint32_t first_register = 0;  // of its elements
  bool is_extern = false;
  bool is_visible = false;  // .visible: to other modules, else only to its own
  bool is_weak = false;     // .weak and .common: the first of several is used, in all modules
  std::vector<Initializer> initializers;
  int line = 0;
};

struct Prototype {
  std::vector<Variable> results;
  std::vector<Variable> parameters;
};

// .alias: a second name of a function.
struct Alias {
  std::string name;
  std::string target;
  int line = 0;
};

struct Function {
  std::string name;
  bool is_entry = false;
  bool is_extern = false;   // declared without a body
  bool is_visible = false;  // .visible: to other modules, else only to its own
  bool is_weak = false;     // .weak: the first of several is used, in all modules
  std::vector<Variable> results;
  std::vector<Variable> parameters;
  std::vector<Type> registers;
  std::vector<std::string> register_names;  // as written, for messages
  std::vector<Variable> variables;          // .local, .shared and .param of the body
  std::vector<std::pair<std::string, Prototype>> prototypes;  // .callprototype
  // .branchtargets and .calltargets: indices of statements with the targets as operands.
  std::vector<std::pair<std::string, std::uint32_t>> target_lists;
  std::vector<Statement> statements;
  std::uint32_t max_threads = 0;                  // .maxntid, .reqntid as a product; 0: none
  std::uint32_t required_threads[3] = {0, 0, 0};  // .reqntid
  std::uint32_t required_cluster[3] = {0, 0, 0};  // .reqnctapercluster, in blocks; 0: none
  bool uses_reserved_shared = false;              // reads a special register that belongs to it
  int line = 0;
};

struct Module {
  int version_major = 0;
  int version_minor = 0;
  std::string target;  // "sm_90a"
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::vector<Alias> aliases;
  std::map<std::uint32_t, std::string> files;  // .file, by number
  std::vector<SourceLocation> locations;       // .loc
};

}  // namespace numpy_plugin::sim
