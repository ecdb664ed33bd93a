// Functions: their resource usage.
#include <algorithm>

#include "simulator/interface/objects/module.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr int kMaxRegisters = 255;  // per thread
constexpr int kRegisterUnit = 8;    // of allocation, likewise

int static_shared_bytes(const FunctionCode& code) { return static_cast<int>(code.shared_bytes); }

int round_up(int value, int unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

LoadedFunction::LoadedFunction(std::shared_ptr<LoadedModule> module, const FunctionCode& code)
    : module_(std::move(module)),
      code_(code),
      max_dynamic_shared_bytes_(std::max(0, kDefaultSharedBytes - static_shared_bytes(code))) {}

// PTX has virtual registers: estimates a compiler's allocation, so that the largest block that the
// function permits always runs.
int LoadedFunction::n_registers() const {
  const int share = kRegisters / round_up(max_threads(), kWarpSize);
  const int most = std::min(kMaxRegisters, share / kRegisterUnit * kRegisterUnit);
  return std::clamp(static_cast<int>(code_.n_registers), 1, most);
}

int LoadedFunction::max_threads() const {
  return code_.max_threads == 0 ? kMaxThreads
                                : std::min(kMaxThreads, static_cast<int>(code_.max_threads));
}

int LoadedFunction::attribute(CUfunction_attribute attribute) const {
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      return max_threads();
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      return static_shared_bytes(code_);
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:  // the module's, as functions share its bank
      return static_cast<int>(module_->constant_bytes());
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      return static_cast<int>(code_.local_bytes);
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      return n_registers();
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:  // what the PTX is for: CUB chooses its tuning by it
      return target_number(module_->program().target);
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      return architecture().number();
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      return max_dynamic_shared_bytes_;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      return carveout_;
    default:
      require(attribute >= 0 && attribute < CU_FUNC_ATTRIBUTE_MAX, CUDA_ERROR_INVALID_VALUE,
              "there is no such attribute");
      return 0;
  }
}

void LoadedFunction::set_attribute(CUfunction_attribute attribute, int value) {
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
    const int most = architecture().max_shared_bytes - static_shared_bytes(code_);
    if (value < 0 || value > most) {
      throw CallError(CUDA_ERROR_INVALID_VALUE,
                      format("{} bytes of dynamic shared memory for '{}'; a block can have {} "
                             "besides {} bytes of static",
                             value, code_.name, most, code_.shared_bytes));
    }
    max_dynamic_shared_bytes_ = value;
  } else if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) {
    require(value >= -1 && value <= 100, CUDA_ERROR_INVALID_VALUE,
            "the carveout is a percentage, or -1");
    carveout_ = value;
  } else {
    throw CallError(CUDA_ERROR_INVALID_VALUE, "the attribute can't be set");
  }
}

int LoadedFunction::n_resident_blocks(int n_threads, std::uint64_t dynamic_shared_bytes) const {
  const std::uint64_t shared = code_.shared_bytes + dynamic_shared_bytes;
  if (n_threads > max_threads() ||
      shared > static_cast<std::uint64_t>(architecture().max_shared_bytes)) {
    return 0;
  }
  const int threads = round_up(n_threads, kWarpSize);
  const int shared_of_block = static_cast<int>(shared) + architecture().reserved_shared_bytes();
  int n_blocks = std::min(architecture().max_blocks, architecture().max_threads / threads);
  n_blocks = std::min(n_blocks, kRegisters / (round_up(n_registers(), kRegisterUnit) * threads));
  if (shared_of_block > 0) {
    n_blocks = std::min(n_blocks, architecture().shared_bytes / shared_of_block);
  }
  return n_blocks;
}

Handles<CUfunction, LoadedFunction>& functions() {
  static auto& handles = *new Handles<CUfunction, LoadedFunction>;
  return handles;
}

std::shared_ptr<LoadedFunction> find_function(CUfunction handle) {
  if (auto function = functions().find_if_any(handle)) {
    function->context()->require_device();
    return function;
  }
  return find_kernel(reinterpret_cast<CUkernel>(handle), current_context());
}

}  // namespace numpy_plugin::sim
