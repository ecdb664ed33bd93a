// Python's syntax tree as plain data, built in Python by a walk over `ast`. A node has its class, a
// source span, its operator or text, its value where it is a literal, and its children by field
// name.
#pragma once

#include <complex>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "numpy_plugin/base/dtype.hpp"
#include "numpy_plugin/derive/differentiation.hpp"
#include "numpy_plugin/diagnostics/diagnostic.hpp"
#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::declare {

// The class of a syntax node (syntax_kinds.def), resolved once from its name.
enum class SyntaxKind : std::uint8_t {
  kOther,  // a class without a row: newer than this version, or a missing operator
#define NPP_SYNTAX_KIND(enumerator, name) enumerator,
#include "numpy_plugin/syntax/syntax_kinds.def"
};

SyntaxKind find_syntax_kind(std::string_view class_name);

// The name in `ast`; "a node" for kOther.
std::string_view class_name(SyntaxKind kind);

// A Python integer of any size: `text` is its decimal spelling, exact where it fits int64 or
// uint64.
struct Integer {
  std::string text;
};

using Number = std::variant<bool, Integer, double, std::complex<double>>;

struct SyntaxNode {
  SyntaxKind kind = SyntaxKind::kOther;
  SyntaxKind op = SyntaxKind::kOther;  // operator of BinOp, UnaryOp, BoolOp and AugAssign
  std::string text;  // Name.id, Attribute.attr, type name of a non-numeric constant
  int version = 0;   // of a Name: which of the variables with this name
  std::variant<std::monostate, Number> constant;
  SourceSpan place;
  std::vector<std::pair<std::string, std::vector<SyntaxNode>>> fields;

  // Children of a field ("body", "targets"); empty when there are none.
  const std::vector<SyntaxNode>& children(std::string_view field) const;
  // The only child of a field; nullptr when the field is empty.
  const SyntaxNode* child(std::string_view field) const;
};

// A node without source span and children, by the name of its `ast` class. `text` is the name of
// the operator's class where the node has an operator.
SyntaxNode make_node(std::string_view class_name, std::string text);

struct FunctionSyntax;
struct UfuncSyntax;
struct ExternalFunction;

// The meaning of a nonlocal name, as Python resolved it when the function was declared. Dotted
// names ("math.sqrt", "np.pi") are resolved as a whole.
struct Binding {
  enum class Kind {
    kNumber,          // a weak Python number
    kTypedNumber,     // a NumPy scalar of type `dtype`
    kTuple,           // `items`
    kArray,           // a NumPy array of numbers: `array`
    kLargeArray,      // an array over the limit: `name` is its size in bytes
    kFunction,        // a function of the table: `name` is "math.sqrt", "numpy.sqrt" or
                      // "builtins.abs"
    kDType,           // a dtype used as a cast: np.float32, npp.float32
    kModule,          // `name` is the module's name
    kDeviceFunction,  // npp.device: `function`
    kUfunc,           // a ufunc of this package: `ufunc`
    kThreadValue,     // cuda.threadIdx.x and similar: `name` is "threadIdx.x"
    kExternal,        // an external function: `external`
    kPlainFunction,   // a Python function without @npp.device: `name`
    kException,       // an exception class: `object`; `name` as for kFunction
    kNone,
    kUnset,       // a closure's variable without a value yet
    kOtherDType,  // a NumPy type that kernels do not support: `name`
    kRefused,     // a call that this package does not take: `name` is the error
    kOther        // anything else: `name` describes it for messages: "a list"
  };
  Kind kind = Kind::kOther;
  std::string name;
  Number number;
  base::DType dtype = base::DType::kFloat64;
  std::vector<Binding> items;
  std::shared_ptr<const ConstantArray> array;
  std::shared_ptr<const FunctionSyntax> function;
  std::shared_ptr<const UfuncSyntax> ufunc;
  std::shared_ptr<const ExternalFunction> external;
  std::shared_ptr<const void> object;  // of Python, only passed through
  SourceSpan defined_at;               // line 0 where unknown
};

struct FunctionSyntax {
  std::string name;
  std::vector<SyntaxNode> parameters;  // kind "arg", text = name
  // Parameters at first that stand for variables of the function around this one.
  std::size_t n_outer = 0;
  std::vector<Binding> defaults;  // of the last parameters
  std::vector<SyntaxNode> body;
  SourceSpan name_place;                    // of the name after `def`, or of `lambda`
  std::map<std::string, Binding> bindings;  // by dotted name, only resolved names
  std::vector<std::string> known_names;     // names that are valid here, for "did you mean"
  SourceText source;
  // Definitions of module globals: place.source 1 is the first of these, 0 is `source`.
  std::vector<SourceText> other_sources;
  bool checks_bounds = false;  // for a kernel: an index out of bounds raises
  // What is asked of it, one after the other; empty: its own results.
  std::vector<derive::Differentiation> derivatives;
};

// A function that this package adds to the kernel language: its own lines mean nothing to users.
inline bool is_library_function(const FunctionSyntax& function) {
  return function.source.file == "<numpy_plugin>";
}

// Whether the function, or one of its possible callees, has `raise`, `assert`, a range with a step
// that is not known, or such a power, with whatever types.
bool may_raise(const FunctionSyntax& function);

// Validates that plain data has the form Python's parser would produce. Later passes rely on it,
// and a pickle may contain anything. Throws base::Error (kValue) that names the missing or
// misplaced part. Callees are checked separately.
void check_syntax(const FunctionSyntax& function);

// Sets the versions of a function's names: a new one where a name is assigned again, unless a use
// may read either value.
void number_versions(FunctionSyntax& function);

}  // namespace numpy_plugin::declare
