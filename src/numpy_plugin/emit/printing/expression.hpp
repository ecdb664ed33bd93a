// Expressions of a kernel as C++ text. The recursion over the tree is implemented once; printers
// with other needs (SIMD lanes, for instance) override the spelling of nodes.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/emit/printing/cpp_text.hpp"
#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::emit {

// C++ names in scope in one function.
struct Scope {
  std::vector<std::string> locals;              // C++ names of Function::locals
  std::vector<std::string> device_functions;    // C++ names of PythonKernel::device_functions
  std::vector<std::string> external_functions;  // of PythonKernel::external_functions
  std::string errors;   // of the npp::Errors of a kernel that can raise; else empty
  std::string scratch;  // of the npp::Scratch of a kernel with scratch arrays; else empty
  // Of the places of statements, which then get #line directives; else null.
  const std::vector<declare::SourceText>* sources = nullptr;
  std::set<int> counters;  // locals that are never negative, of sums
  bool is_scalar = false;  // in a loop that no compiler vectorizes
  Names names;             // all of them, to avoid collisions of generated names

  // Arguments of a template: where the kernel can raise, the errors come first.
  std::vector<std::string> with_errors(std::vector<std::string> arguments) const;
  // Arguments of one of the kernel's functions: then the scratch memory, if any.
  std::vector<std::string> with_context(std::vector<std::string> arguments) const;
};

// The C++ type of a value, a view for an array; "void" for kNone.
std::string cpp_type(const declare::ValueType& type);

class ExpressionPrinter {
 public:
  explicit ExpressionPrinter(const Scope& scope) : scope_(scope) {}
  virtual ~ExpressionPrinter() = default;

  virtual std::string print(const declare::Expression& expression) const;
  std::vector<std::string> print(const std::vector<declare::Expression>& expressions) const;
  // "a.at(i, j)": an element of a core array, to write or, without an exception, to read.
  // `exception`: raised for an index out of bounds, as in the tree.
  virtual std::string element(int array, const std::vector<std::string>& indices,
                              int exception) const;
  // Of a call of an operation.
  std::string function_name(const declare::Expression& call) const;

 protected:
  using Texts = std::vector<std::string>;

  virtual std::string constant(const declare::Expression& expression) const;
  virtual std::string local(int index) const;
  virtual std::string call(std::string_view function, const Texts& arguments) const;
  virtual std::string select(const Texts& operands) const;
  std::string logical(const declare::Expression& expression, const Texts& operands) const;

 private:
  std::string array_cast(const declare::Expression& cast, const Texts& operands) const;
  std::string view(const declare::Expression& expression, Texts arguments) const;
  std::string reshaped(const declare::Expression& expression, Texts arguments) const;
  std::string elements(const declare::Expression& expression, const std::string& verb,
                       Texts arguments) const;
  std::string loaded(int array, const Texts& indices, int exception) const;
  Texts indices(const declare::Expression& load, Texts texts) const;
  std::string printed(const std::string& text, Texts operands) const;
  std::string atomic(const declare::Expression& expression, const Texts& operands) const;
  std::string size(const declare::ArraySize& size) const;
  const std::string& name_of(const declare::DeviceFunctionCall& call) const;
  const std::string& name_of(const declare::ExternalFunctionCall& call) const;
  std::string checked(std::string_view function, int exception, const Texts& arguments) const;

  const Scope& scope_;
};

}  // namespace numpy_plugin::emit
