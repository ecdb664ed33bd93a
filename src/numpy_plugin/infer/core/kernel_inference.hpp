// Functions of one kernel under inference: their tasks, results and shared state.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "numpy_plugin/kernel/inferred_type.hpp"
#include "numpy_plugin/kernel/kernel.hpp"
#include "numpy_plugin/syntax/ufunc_syntax.hpp"

namespace numpy_plugin::declare {

struct Findings {
  std::vector<Diagnostic> errors;
  std::vector<Diagnostic> warnings;
};

// Request to type a function.
struct FunctionTask {
  const FunctionSyntax* syntax = nullptr;
  std::vector<InferredType> arguments;
  std::optional<std::vector<base::DType>> results;  // nullopt: inferred from the body
  const TypeSignature* signature = nullptr;         // of a kernel; null for a device function
  std::size_t n_inputs = 0;
  const CoreSignature* layout = nullptr;  // of a generalized kernel
  bool seeks_outputs = false;             // output types are guesses: any value may be stored
  bool is_device_kernel = false;

  bool is_generalized() const { return layout != nullptr; }
};

// Inputs that are `plain` take the type of others, as numbers of Python do; empty: none.
FunctionTask kernel_task(const FunctionSyntax& function, const TypeSignature& signature,
                         const CoreSignature* layout, const std::vector<bool>& plain = {});

struct TypedFunction {
  Function function;
  InferredType result;
  bool has_result = false;
  // An array that is returned: itself, without a result, or as many first elements as the result.
  int returned_parameter = -1;
  // The array that is returned everywhere, and is no parameter: an error of the function itself.
  std::optional<InferredType> made;
  bool has_effects = false;  // besides its result: stores, atomic operations, barriers
  bool may_raise = false;
  SourceSpan first_return;             // of the value, line 0 where nothing is returned
  std::map<int, InferredType> stored;  // by array parameter: types stored by the body itself
  // Raises where calls are nested too deeply, in a function that calls itself.
  std::optional<Statement> too_deep;
  Findings findings;
};

// The number of a function in calls of itself, until its levels are made.
inline constexpr int kItself = -1;
// Calls of a function in one another.
inline constexpr int kMostLevels = 100;

// A function being typed, and the call that requires it.
struct OpenFunction {
  const FunctionTask* task;
  SourceSpan called_at;
};

class KernelInference;

// RAII scope of a node under inference.
class OpenNode {
 public:
  explicit OpenNode(KernelInference& kernel);
  ~OpenNode();
  OpenNode(const OpenNode&) = delete;
  OpenNode& operator=(const OpenNode&) = delete;

 private:
  KernelInference& kernel_;
};

// All functions of one kernel: the sources that spans refer to, and the device functions typed so
// far.
class KernelInference {
 public:
  // True for device kernels, whose functions can use thread functions; else a ufunc's kernel.
  explicit KernelInference(bool is_device_kernel = false) : is_device_kernel_(is_device_kernel) {}
  bool is_device_kernel() const { return is_device_kernel_; }

  TypedFunction type_function(const FunctionTask& task, const SourceSpan& called_at);

  // The index of a device function typed for the task's arguments and results.
  std::size_t device_function(const FunctionTask& task, const SourceSpan& called_at);
  const TypedFunction& typed(std::size_t device_function) const {
    return *device_functions_[device_function].typed;
  }

  // The index of a C++ function, added once per signature.
  std::size_t external_function(ExternalFunction function);

  // The same signature at a stable address.
  const TypeSignature& keep(TypeSignature signature);

  // The nodes `t[0]`, `t[1]`, ... for a tuple of this size.
  const std::vector<SyntaxNode>& items_of(const SyntaxNode& tuple, std::size_t n);

  // The function with one more parameter, an array that takes what it returns.
  const FunctionSyntax& storing_function(const FunctionSyntax& function);

  int source_base(const FunctionSyntax& syntax);
  const std::vector<SourceText>& sources() const { return sources_; }
  const std::vector<OpenFunction>& open_functions() const { return open_functions_; }
  int n_open_nodes() const { return n_open_nodes_; }

  // The index of an exception: one per statement and value types.
  int exception(RaisedException raised);

  void note_print() { prints_ = true; }

  // Moves the functions reachable from `main` into call order and renumbers the calls. A function
  // that calls itself becomes one for each level, so that the calls have no circle.
  PythonKernel assemble(Function main);

 private:
  friend class OpenNode;

  // Replaces a function by its derivatives: infer_derivatives.cpp.
  void differentiate(const FunctionTask& task, TypedFunction& typed);

  struct DeviceFunctionEntry {
    FunctionTask task;
    std::unique_ptr<TypedFunction> typed;
  };

  bool is_device_kernel_;
  std::vector<SourceText> sources_;
  std::map<const FunctionSyntax*, int> source_bases_;
  std::vector<DeviceFunctionEntry> device_functions_;
  std::vector<ExternalFunction> external_functions_;
  std::list<TypeSignature> signatures_;
  std::map<std::pair<const SyntaxNode*, std::size_t>, std::vector<SyntaxNode>> tuple_items_;
  std::map<const FunctionSyntax*, std::unique_ptr<FunctionSyntax>> storing_functions_;
  friend class TypedCallees;

  std::vector<OpenFunction> open_functions_;  // from the kernel to the current callee
  int n_open_nodes_ = 0;                      // nested statements and expressions in all of those
  std::vector<RaisedException> exceptions_;
  bool prints_ = false;
};

inline OpenNode::OpenNode(KernelInference& kernel) : kernel_(kernel) { ++kernel_.n_open_nodes_; }
inline OpenNode::~OpenNode() { --kernel_.n_open_nodes_; }

// Turns a function's syntax and argument types into a typed function. The body is typed in passes
// until its variables' types reach a fixed point; only the last pass's findings are kept.
TypedFunction infer_function(KernelInference& kernel, const FunctionTask& task);

}  // namespace numpy_plugin::declare
