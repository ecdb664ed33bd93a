// Operations that run once for each index over whole arrays, some of which they index themselves:
// CuPy's elementwise kernels with raw operands, and PyCUDA's. One text serves the host, where a
// generalized kernel contains the loop, and devices, where a launch's threads share it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "numpy_plugin/kernel/kernel.hpp"
#include "numpy_plugin/syntax/ufunc_syntax.hpp"

namespace numpy_plugin::declare {

// Properties of an operation's text that decide which kind of kernel it needs.

// Whether a text names the index: i, n or _ind, unless it declares them or a parameter has the
// name; or a parameter as an array, _raw_x.
bool uses_index(std::string_view text, const std::vector<std::string>& parameters);

// The first of these outputs that may keep the value it had: read or changed before it is assigned,
// or assigned under a condition without `else`. Empty where there is none.
std::string kept_output(std::string_view text, const std::vector<std::string>& outputs);

enum class IndexedRole {
  kScalar,   // a number
  kElement,  // the element at the index
  kOutput,   // likewise, as a reference
  kRaw,      // an array of any strides: y[j], y[_ind.get()], y.size()
  kPointer,  // the address of a contiguous array
};

struct IndexedOperand {
  std::string name;
  base::DType dtype;
  int n_dimensions = 0;  // 0: a number
  IndexedRole role = IndexedRole::kScalar;
  bool is_writable = false;
};

struct IndexedOperation {
  std::string name;
  std::string preamble;
  std::string text;
  std::string before_loop;
  std::string after_loop;
  std::string before_element;  // runs at each index
  int n_dimensions = 1;        // of the index
  std::vector<IndexedOperand> operands;
  std::vector<TypeAlias> aliases;
};

// The kernel of an operation: its arguments are the operands, then the sizes of the index.
CppBody make_indexed_body(const IndexedOperation& operation);

// The types of the kernel's arguments.
std::vector<OperandType> argument_types(const IndexedOperation& operation);

// Its arguments as a layout, each with core dimensions of its own, and those that it may write.
std::string indexed_layout(const IndexedOperation& operation);
std::vector<std::string> writable_arguments(const IndexedOperation& operation);

// From names and the dtypes' names.
std::vector<TypeAlias> make_aliases(const std::vector<std::pair<std::string, std::string>>& names);

}  // namespace numpy_plugin::declare
