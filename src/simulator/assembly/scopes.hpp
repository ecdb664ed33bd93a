// Names that a function declares: registers, variables, prototypes and labels, scoped by braces. An
// inner name hides an outer one.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "simulator/assembly/module_parts.hpp"
#include "simulator/assembly/syntax.hpp"

namespace numpy_plugin::sim {

// An operand whose name is not declared so far: a label or a symbol of the module.
struct OpenReference {
  std::string_view name;
  int line = 0;
  std::size_t statement = 0;  // of the function
  std::size_t operand = 0;    // of the statement
};

// Elements of a vector: v.x, v.y, v.z, v.w.
constexpr char kVectorElements[] = {'x', 'y', 'z', 'w'};

// Registers of .reg %r<count>: `n_elements` for each of `count` vectors.
struct RegisterRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t n_elements = 1;
};

class Scopes {
 public:
  // Labels complete operands in the statements of `function`.
  explicit Scopes(Function& function) : function_(function) { open(0); }

  void open(int line);
  // Resolves operands that name labels of the scope; other names may be labels of outer scopes.
  void close();
  // End of the function: unresolved names are symbols of the module.
  void close_last(ModuleUse& use);
  std::size_t depth() const { return scopes_.size(); }

  // All throw PtxError for names that the scope has already. Names are views into the module's
  // text, except those of symbols.
  // A vector has several registers from `index`.
  void declare_register(std::string_view name, std::uint32_t index, std::uint32_t n_elements,
                        int line);
  // Call after adding their names to the function.
  void declare_registers(std::string_view prefix, const RegisterRange& range, int line);
  void declare_label(std::string_view name, int line);
  // The function's internal name for it, after the prefix: unique, also among the module's symbols.
  std::string declare_symbol(std::string_view name, int line, const std::string& prefix = "");

  // A register, vector or element of one, or a variable or prototype of the function.
  std::optional<Operand> find(std::string_view name) const;
  void add(const OpenReference& reference) { scopes_.back().open_references.push_back(reference); }

 private:
  struct Name {
    std::uint32_t index = 0;
    std::uint32_t n_elements = 0;  // 0: not a register
    std::string symbol;
  };
  struct Registers {
    std::uint32_t first = 0;
    std::uint32_t n_elements = 1;
  };
  struct Scope {
    std::unordered_map<std::string_view, Name> names;
    std::unordered_map<std::string_view, RegisterRange> ranges;  // by prefix
    std::unordered_map<std::string_view, std::uint32_t> labels;  // the labelled statement
    std::vector<OpenReference> open_references;
  };

  std::vector<OpenReference> close_innermost();
  static std::optional<Registers> find_in_ranges(const Scope& scope, std::string_view name);
  std::optional<Operand> find_whole(std::string_view name) const;
  std::optional<Operand> find_element(std::string_view name) const;
  void declare(std::string_view name, Name declared, int line);

  Function& function_;
  std::vector<Scope> scopes_;
  bool has_vectors_ = false;
  std::deque<std::string> symbols_;  // storage for names that are not part of the text
  std::unordered_map<std::string_view, int> n_symbols_;  // per name, in inner scopes
};

}  // namespace numpy_plugin::sim
