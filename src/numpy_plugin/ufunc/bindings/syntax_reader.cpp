// Reads the nested tuples by Python's C API directly: a kernel has hundreds of nodes.
#include "numpy_plugin/ufunc/bindings/kernel_arguments.hpp"

#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/diagnostics/diagnostic.hpp"
#include "numpy_plugin/infer/statements/kernel_checks.hpp"
#include "numpy_plugin/syntax/syntax.hpp"
#include "numpy_plugin/syntax/ufunc_syntax.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"
#include "numpy_plugin/ufunc/api/string_caster.hpp"
#include "numpy_plugin/ufunc/loops/ufunc_state.hpp"

namespace numpy_plugin::ufunc {
namespace {

using declare::Binding;
using declare::Diagnostic;
using declare::FunctionSyntax;
using declare::KernelError;
using declare::Number;
using declare::SourceSpan;
using declare::SourceText;
using declare::SyntaxNode;

// Passes over the tree are recursive; this depth leaves room for calls in an 8 MiB stack, and for
// Python's own limit of recursion.
constexpr int kMaxDepth = 300;

// Branches of an `if`, each nested in the `else` of the previous one: the number that Python itself
// compiles from a tree anywhere.
constexpr std::size_t kMaxBranches = 500;

// A pickle may contain anything; the output of _frontend/syntax.py always passes.
void require(bool condition) {
  if (condition) return;
  throw base::Error(
      base::ErrorKind::kValue,
      "the syntax of a kernel is damaged: it has another form than the front end gives");
}

PyObject* item(PyObject* tuple, Py_ssize_t index) {
  require(PyTuple_Check(tuple) && index < PyTuple_GET_SIZE(tuple));
  return PyTuple_GET_ITEM(tuple, index);
}

Py_ssize_t size(PyObject* tuple) {
  require(PyTuple_Check(tuple));
  return PyTuple_GET_SIZE(tuple);
}

std::string text(PyObject* string) {
  std::string result;
  if (!read_text(string, result)) throw nanobind::python_error();
  return result;
}

int integer(PyObject* number) {
  const long value = PyLong_AsLong(number);
  if (value == -1 && PyErr_Occurred()) throw nanobind::python_error();
  require(std::in_range<int>(value));
  return static_cast<int>(value);
}

// Reads a line, a column or an index.
int count(PyObject* number) {
  const int value = integer(number);
  require(value >= 0);
  return value;
}

// Reads line, column, end line, end column from `first` on.
SourceSpan place(PyObject* tuple, Py_ssize_t first = 0) {
  return {count(item(tuple, first)), count(item(tuple, first + 1)), count(item(tuple, first + 2)),
          count(item(tuple, first + 3)), 0};
}

Number number(PyObject* value) {
  if (PyBool_Check(value)) return value == Py_True;
  if (PyLong_Check(value)) {
    const nanobind::object spelled = nanobind::steal(PyObject_Str(value));
    if (!spelled.is_valid()) throw nanobind::python_error();
    return declare::Integer{text(spelled.ptr())};
  }
  if (PyFloat_Check(value)) return PyFloat_AS_DOUBLE(value);
  require(PyComplex_Check(value));
  return std::complex<double>(PyComplex_RealAsDouble(value), PyComplex_ImagAsDouble(value));
}

// Uses the other ufunc's own kernel, kept alive with its library.
std::shared_ptr<const declare::UfuncSyntax> ufunc_syntax(PyObject* ufunc) {
  require(find_state(ufunc) != nullptr);
  const std::shared_ptr<run::KernelLibrary>& library = state_of(ufunc).library;
  const declare::Declaration& declaration = library->declaration();
  auto syntax = std::make_shared<declare::UfuncSyntax>();
  syntax->name = declaration.name;
  syntax->signatures = declaration.signatures;
  if (declaration.layout) syntax->layout = declaration.layout->text;
  syntax->n_inputs = declaration.n_inputs;
  syntax->n_outputs = declaration.n_outputs;
  if (const auto* function = std::get_if<FunctionSyntax>(&declaration.body)) {
    syntax->function = {library, function};
  } else {
    syntax->body = {library, &std::get<declare::CppBody>(declaration.body)};
    syntax->preamble = declaration.preamble;
    syntax->linked = declaration.linked;
  }
  return syntax;
}

// A Python object that C++ only passes through; released by its last owner, in any thread.
std::shared_ptr<const void> keep(PyObject* object) {
  Py_INCREF(object);
  return {
      object, [](const void* kept) {
        free_with_python([kept] { Py_DECREF(static_cast<PyObject*>(const_cast<void*>(kept))); });
      }};
}

class Reader {
 public:
  explicit Reader(PyObject* functions) : functions_(functions) {
    const auto count = static_cast<std::size_t>(size(functions));
    open_.resize(count);
    shared_.resize(count);
  }

  void read_function(std::size_t index, FunctionSyntax& function);

 private:
  SyntaxNode read_node(PyObject* data, int depth);
  void nest_branches(SyntaxNode& node) const;
  [[noreturn]] void refuse(const SourceSpan& where, std::string message, std::string hint) const;
  std::vector<SyntaxNode> read_nodes(PyObject* data, int depth);
  SourceText read_source(PyObject* data);
  Binding read_binding(PyObject* data);
  std::shared_ptr<const FunctionSyntax> device_function(std::size_t index);
  void report_mistakes(PyObject* mistakes);

  PyObject* functions_;
  const SourceText* source_ = nullptr;  // of the function being read
  std::vector<FunctionSyntax*> open_;   // those being read
  std::vector<std::shared_ptr<const FunctionSyntax>> shared_;
};

SyntaxNode Reader::read_node(PyObject* data, int depth) {
  const SourceSpan where = place(data, 3);
  if (depth > kMaxDepth) {
    refuse(where, format("this is nested more than {} deep", kMaxDepth),
           "assign parts of it to variables");
  }
  SyntaxNode node = declare::make_node(text(item(data, 0)), text(item(data, 1)));
  node.place = where;
  if (item(data, 2) != Py_None) node.constant = number(item(data, 2));
  PyObject* fields = item(data, 7);
  for (Py_ssize_t i = 0; i + 1 < size(fields); i += 2) {
    node.fields.emplace_back(text(item(fields, i)), read_nodes(item(fields, i + 1), depth + 1));
  }
  nest_branches(node);
  return node;
}

// Nests `if a: ... elif b: ... else: ...`, whose branches arrive as a flat list.
void Reader::nest_branches(SyntaxNode& node) const {
  const auto found = std::find_if(node.fields.begin(), node.fields.end(),
                                  [](const auto& field) { return field.first == "elifs"; });
  if (found == node.fields.end()) return;
  std::vector<SyntaxNode> branches = std::move(found->second);
  if (branches.size() > kMaxBranches) {
    refuse(branches[kMaxBranches].place, format("an 'if' with more than {} branches", kMaxBranches),
           "look the values up in an array, or halve the cases first");
  }
  std::vector<SyntaxNode> orelse;
  const auto end = std::next(found);
  if (end != node.fields.end()) orelse = std::move(end->second);
  node.fields.erase(found, node.fields.end());
  for (; !branches.empty(); branches.pop_back()) {
    SyntaxNode branch = std::move(branches.back());
    if (!orelse.empty()) branch.fields.emplace_back("orelse", std::move(orelse));
    orelse.clear();
    orelse.push_back(std::move(branch));
  }
  node.fields.emplace_back("orelse", std::move(orelse));
}

void Reader::refuse(const SourceSpan& where, std::string message, std::string hint) const {
  Diagnostic diagnostic;
  diagnostic.message = std::move(message);
  diagnostic.place = where;
  diagnostic.hint = std::move(hint);
  throw KernelError({diagnostic}, {*source_});
}

std::vector<SyntaxNode> Reader::read_nodes(PyObject* data, int depth) {
  std::vector<SyntaxNode> nodes;
  for (Py_ssize_t i = 0; i < size(data); ++i) nodes.push_back(read_node(item(data, i), depth));
  return nodes;
}

SourceText Reader::read_source(PyObject* data) {
  SourceText source;
  source.file = text(item(data, 0));
  source.function = text(item(data, 1));
  source.first_line = count(item(data, 2));
  PyObject* lines = item(data, 3);
  for (Py_ssize_t i = 0; i < size(lines); ++i) source.lines.push_back(text(item(lines, i)));
  return source;
}

Binding::Kind binding_kind(const std::string& name) {
  if (name == "number") return Binding::Kind::kNumber;
  if (name == "typed") return Binding::Kind::kTypedNumber;
  if (name == "tuple") return Binding::Kind::kTuple;
  if (name == "array") return Binding::Kind::kArray;
  if (name == "large array") return Binding::Kind::kLargeArray;
  if (name == "function") return Binding::Kind::kFunction;
  if (name == "dtype") return Binding::Kind::kDType;
  if (name == "other dtype") return Binding::Kind::kOtherDType;
  if (name == "module") return Binding::Kind::kModule;
  if (name == "device") return Binding::Kind::kDeviceFunction;
  if (name == "ufunc") return Binding::Kind::kUfunc;
  if (name == "thread") return Binding::Kind::kThreadValue;
  if (name == "external") return Binding::Kind::kExternal;
  if (name == "plain") return Binding::Kind::kPlainFunction;
  if (name == "exception") return Binding::Kind::kException;
  if (name == "none") return Binding::Kind::kNone;
  if (name == "unset") return Binding::Kind::kUnset;
  if (name == "refused") return Binding::Kind::kRefused;
  require(name == "other");
  return Binding::Kind::kOther;
}

// Reads elements as bytes, sizes as integers.
std::shared_ptr<const declare::ConstantArray> read_array(PyObject* data) {
  auto array = std::make_shared<declare::ConstantArray>();
  const auto dtype = base::find_dtype(text(item(data, 3)));
  PyObject* const elements = item(data, 2);
  require(dtype && PyBytes_Check(elements));
  array->dtype = *dtype;
  array->bytes.assign(PyBytes_AS_STRING(elements),
                      static_cast<std::size_t>(PyBytes_GET_SIZE(elements)));
  PyObject* const sizes = item(data, 4);
  for (Py_ssize_t i = 0; i < size(sizes); ++i) array->sizes.push_back(count(item(sizes, i)));
  return array;
}

// Parameters, results and their directions, and parameters with tangents, for each.
std::vector<derive::Differentiation> read_derivatives(PyObject* data,
                                                      const FunctionSyntax& function) {
  const auto parameter = [&function](PyObject* number) {
    const int index = count(number);
    require(static_cast<std::size_t>(index) < function.parameters.size());
    return index;
  };
  std::vector<derive::Differentiation> derivatives;
  for (Py_ssize_t i = 0; i < size(data); ++i) {
    PyObject* const row = item(data, i);
    derive::Differentiation& wanted = derivatives.emplace_back();
    for (Py_ssize_t k = 0; k < size(item(row, 0)); ++k)
      wanted.parameters.push_back(parameter(item(item(row, 0), k)));
    for (Py_ssize_t k = 0; k < size(item(row, 1)); ++k) {
      PyObject* const part = item(item(row, 1), k);
      wanted.parts.push_back({count(item(part, 0)), integer(item(part, 1))});
      require(wanted.parts.back().direction < static_cast<int>(wanted.parameters.size()));
    }
    for (Py_ssize_t k = 0; k < size(item(row, 2)); ++k) {
      PyObject* const carried = item(item(row, 2), k);
      wanted.carried.push_back(
          {parameter(item(carried, 0)), count(item(carried, 1)), parameter(item(carried, 2))});
      require(wanted.carried.back().direction < derive::kMaxDirections);
    }
    require(wanted.parameters.size() <= derive::kMaxDirections);
  }
  return derivatives;
}

Binding Reader::read_binding(PyObject* data) {
  Binding binding;
  binding.kind = binding_kind(text(item(data, 0)));
  binding.name = text(item(data, 1));
  if (binding.kind == Binding::Kind::kUfunc) {
    binding.ufunc = ufunc_syntax(item(data, 2));
  } else if (binding.kind == Binding::Kind::kExternal) {
    const nanobind::object native = nanobind::handle(item(data, 2)).attr("native");
    require(nanobind::try_cast(native, binding.external) && binding.external != nullptr);
  } else if (binding.kind == Binding::Kind::kArray) {
    binding.array = read_array(data);
    return binding;
  } else if (binding.kind == Binding::Kind::kException) {
    require(PyExceptionClass_Check(item(data, 2)));
    binding.object = keep(item(data, 2));
  } else if (item(data, 2) != Py_None) {
    binding.number = number(item(data, 2));
  }
  if (const auto dtype = base::find_dtype(text(item(data, 3)))) binding.dtype = *dtype;
  PyObject* items = item(data, 4);
  for (Py_ssize_t i = 0; i < size(items); ++i)
    binding.items.push_back(read_binding(item(items, i)));
  if (binding.kind == Binding::Kind::kDeviceFunction) {
    binding.function = device_function(static_cast<std::size_t>(count(item(data, 5))));
  }
  binding.defined_at = place(item(data, 6));
  binding.defined_at.source = count(item(data, 7));
  return binding;
}

// A function that calls one still being read gets a non-owning pointer: an ownership cycle would
// leak.
std::shared_ptr<const FunctionSyntax> Reader::device_function(std::size_t index) {
  require(index < open_.size());
  if (open_[index]) return {std::shared_ptr<void>(), open_[index]};
  if (!shared_[index]) {
    auto function = std::make_shared<FunctionSyntax>();
    const SourceText* const outer = source_;
    open_[index] = function.get();
    read_function(index, *function);
    open_[index] = nullptr;
    source_ = outer;
    shared_[index] = std::move(function);
  }
  return shared_[index];
}

// Reports all mistakes in the function's head at once.
void Reader::report_mistakes(PyObject* mistakes) {
  std::vector<Diagnostic> diagnostics;
  for (Py_ssize_t i = 0; i < size(mistakes); ++i) {
    PyObject* mistake = item(mistakes, i);
    Diagnostic diagnostic;
    diagnostic.message = text(item(mistake, 0));
    diagnostic.place = place(item(mistake, 1));
    diagnostic.hint = text(item(mistake, 2));
    diagnostics.push_back(std::move(diagnostic));
  }
  if (!diagnostics.empty()) throw KernelError(std::move(diagnostics), {*source_});
}

void Reader::read_function(std::size_t index, FunctionSyntax& function) {
  PyObject* data = item(functions_, static_cast<Py_ssize_t>(index));
  function.source = read_source(item(data, 6));
  source_ = &function.source;
  report_mistakes(item(data, 8));
  function.name = text(item(data, 0));
  function.parameters = read_nodes(item(data, 1), 0);
  function.body = read_nodes(item(data, 2), 0);
  function.name_place = place(item(data, 3));
  PyObject* bindings = item(data, 4);
  for (Py_ssize_t i = 0; i < size(bindings); ++i) {
    PyObject* pair = item(bindings, i);
    function.bindings.emplace(text(item(pair, 0)), read_binding(item(pair, 1)));
  }
  PyObject* defaults = item(data, 9);
  for (Py_ssize_t i = 0; i < size(defaults); ++i) {
    function.defaults.push_back(read_binding(item(defaults, i)));
  }
  PyObject* known = item(data, 5);
  for (Py_ssize_t i = 0; i < size(known); ++i) function.known_names.push_back(text(item(known, i)));
  PyObject* sources = item(data, 7);
  for (Py_ssize_t i = 0; i < size(sources); ++i) {
    function.other_sources.push_back(read_source(item(sources, i)));
  }
  constexpr Py_ssize_t kWithoutOuter = 10;  // in pickles of earlier builds
  if (size(data) > kWithoutOuter) {
    function.n_outer = static_cast<std::size_t>(integer(item(data, kWithoutOuter)));
  }
  if (size(data) > kWithoutOuter + 1)
    function.derivatives = read_derivatives(item(data, kWithoutOuter + 1), function);
  function.checks_bounds = declare::is_debug_mode();
  declare::check_syntax(function);
  declare::number_versions(function);
}

}  // namespace

// The owner moves the kernel away: a device function that calls it gets its own copy.
FunctionSyntax read_function_syntax(nanobind::handle data) {
  Reader reader(data.ptr());
  FunctionSyntax function;
  reader.read_function(0, function);
  return function;
}

}  // namespace numpy_plugin::ufunc
