// Elements a thread: from the widest operand, the registers of the inputs and the body's cost.
#include "numpy_plugin/emit/launch_shape.hpp"

#include <algorithm>

namespace numpy_plugin::emit {
namespace {

constexpr int kVectorBytes = 16;
// Inputs are all loaded before anything is computed: more registers than this for them and fewer
// threads fit on a multiprocessor.
constexpr int kInputRegisters = 32;
// Each element of a thread is a copy of the body, which takes time to compile and room in the
// instruction cache: the cost of all copies together stays under this.
constexpr int kThreadCost = 16;

int widest_operand(const declare::TypeSignature& signature) {
  std::size_t widest = 1;
  for (const declare::OperandType& operand : signature.inputs)
    widest = std::max(widest, base::info(operand.dtype).n_bytes);
  for (const declare::OperandType& operand : signature.outputs)
    widest = std::max(widest, base::info(operand.dtype).n_bytes);
  return static_cast<int>(widest);
}

// Narrow elements are unpacked: each takes a register at least.
int input_registers(const declare::TypeSignature& signature) {
  std::size_t n_registers = 0;
  for (const declare::OperandType& operand : signature.inputs)
    n_registers += std::max<std::size_t>(1, base::info(operand.dtype).n_bytes / 4);
  return static_cast<int>(n_registers);
}

}  // namespace

ThreadWork thread_work(const declare::TypedKernel& kernel, const DeviceForm& form) {
  const KernelTraits kernel_traits = traits(kernel);
  // Loops keep a thread busy; elements one after another would only leave other threads idle.
  if (kernel.layout || kernel_traits.has_loops) return {};
  const bool has_vectors = form.launch != LaunchForm::kStrided;
  const int width = has_vectors ? kVectorBytes / widest_operand(kernel.signature) : 1;
  const ThreadWork most = {width, has_vectors ? 2 : 4};
  for (const ThreadWork work : {most, ThreadWork{width, 1}}) {
    const int n_elements = work.width * work.n_vectors;
    const bool has_registers =
        input_registers(kernel.signature) * n_elements <= kInputRegisters || work.n_vectors == 1;
    if (has_registers && kernel_traits.cost * n_elements <= kThreadCost) return work;
  }
  return {};
}

LaunchShape launch_shape(const ThreadWork& work) {
  return {kThreads * work.width * work.n_vectors, work.width};
}

}  // namespace numpy_plugin::emit
