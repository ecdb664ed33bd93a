// Python's syntax tree as plain data: what the walk over `ast` hands to C++. A node has its class,
// a place, its operator or a text, a number where it is a literal, and its children under their
// field names.
#pragma once

#include <complex>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "numpy_plugin/base/dtype.hpp"
#include "numpy_plugin/diagnostics/diagnostic.hpp"
#include "numpy_plugin/kernel/kernel.hpp"
#include "numpy_plugin/syntax/syntax_kind.hpp"

namespace numpy_plugin::declare {

// A Python integer of any size: `text` is its decimal spelling, exact where it fits int64 or
// uint64.
struct Integer {
  std::string text;
};

using Number = std::variant<bool, Integer, double, std::complex<double>>;

struct SyntaxNode {
  SyntaxKind kind = SyntaxKind::kOther;
  SyntaxKind op = SyntaxKind::kOther;  // the operator of BinOp, UnaryOp, BoolOp and AugAssign
  std::string text;  // Name.id, Attribute.attr, type name of a constant that is no number
  std::variant<std::monostate, Number> constant;
  SourceSpan place;
  std::vector<std::pair<std::string, std::vector<SyntaxNode>>> fields;

  // The children under a field ("body", "targets"); empty when there are none.
  const std::vector<SyntaxNode>& children(std::string_view field) const;
  // The only child under a field; nullptr when the field is empty.
  const SyntaxNode* child(std::string_view field) const;
};

// A node without place and children, of an `ast` class by its name. `text` is the name of the
// operator's class where the node has an operator.
SyntaxNode make_node(std::string_view class_name, std::string text);

struct FunctionSyntax;
struct UfuncSyntax;
struct ExternalFunction;

// The meaning of a name that is not local to the function, as Python found it when the function
// was declared. Dotted names ("math.sqrt", "np.pi") are looked up whole.
struct Binding {
  enum class Kind {
    kNumber,          // a weak Python number
    kTypedNumber,     // a NumPy scalar: `dtype` says which
    kTuple,           // `items`
    kArray,           // a NumPy array of numbers: `array`
    kLargeArray,      // one over the limit: `name` is its number of bytes
    kFunction,        // a function of the table: `name` is its home, "math.sqrt" or "numpy.sqrt" or
                      // "builtins.abs"
    kDType,           // a dtype used as a cast: np.float32, npp.float32
    kModule,          // `name` is the module's name
    kDeviceFunction,  // npp.device: `function`
    kUfunc,           // a ufunc of this package: `ufunc`
    kThreadValue,     // cuda.threadIdx.x and the like: `name` is "threadIdx.x"
    kExternal,        // a function defined elsewhere: `external`
    kPlainFunction,   // a Python function without @npp.device: `name`
    kException,       // a class that can be raised: `object`; `name` as of kFunction
    kUnset,           // a closure's variable that has no value yet
    kOtherDType,      // a NumPy type that kernels have not: `name`
    kOther            // anything else: `name` says what, as a message prints it: "a list", "None"
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
  std::shared_ptr<const void> object;  // Python's, only passed on
  SourceSpan defined_at;               // line 0 where it is not known
};

struct FunctionSyntax {
  std::string name;
  std::vector<SyntaxNode> parameters;  // kind "arg", text = name
  std::vector<Binding> defaults;       // of the last parameters
  std::vector<SyntaxNode> body;
  SourceSpan name_place;                    // of the name after `def`, or of `lambda`
  std::map<std::string, Binding> bindings;  // by dotted name, only names that were found
  std::vector<std::string> known_names;     // names that would work here, for "did you mean"
  SourceText source;
  // Where module globals are defined: place.source 1 is the first of these, 0 is `source`.
  std::vector<SourceText> other_sources;
  bool checks_bounds = false;  // as a kernel: an index out of bounds raises
};

// Whether the function, or one that it may call, has `raise` or `assert`.
bool may_raise(const FunctionSyntax& function);

}  // namespace numpy_plugin::declare
