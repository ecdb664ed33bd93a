#include "numpy_plugin/run/library/kernel_library.hpp"

#include <algorithm>
#include <utility>

#include "numpy_plugin/analysis/reduce_form.hpp"
#include "numpy_plugin/analysis/scratch/scratch_sizes.hpp"
#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/forced_unwind.hpp"
#include "numpy_plugin/cpp_body/cpp_body.hpp"
#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/infer/statements/infer_kernel.hpp"
#include "numpy_plugin/kernel/kernel.hpp"
#include "numpy_plugin/run/library/compiled_code.hpp"
#include "numpy_plugin/signature/signature_parse.hpp"

namespace numpy_plugin::run {
namespace {

// Whether later calls would fail in the same way: errors in the kernel, as opposed to a missing
// compiler or a full disk.
bool is_lasting(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const declare::DiagnosedError& diagnosed) {
    return !diagnosed.diagnostics().empty();
  } catch (...) {
    return false;
  }
}

// C++ may hold state that threads must not share: the default target leaves it to one thread.
bool is_free_of_state(const declare::TypedKernel& kernel) {
  const auto* const python = std::get_if<declare::PythonKernel>(&kernel.body);
  return python != nullptr && python->external_functions.empty();
}

std::optional<LeastWork> least_shared_work(const declare::Declaration& declaration,
                                           const declare::TypedKernel& kernel) {
  if (declaration.call_target == declare::CallTarget::kParallel) return kLeastWorkOfParallel;
  const bool is_shared =
      declaration.call_target == declare::CallTarget::kAuto && is_free_of_state(kernel);
  return is_shared ? std::optional(kLeastWorkOfAuto) : std::nullopt;
}

// Loops of kernels without CPU code, which run only on devices.
std::vector<Loop> loops_without_code(const emit::Program& unit, const std::string& missing) {
  std::vector<Loop> loops;
  for (const declare::TypedKernel& kernel : unit.kernels) {
    loops.push_back({kernel, make_parallel_loop(nullptr, kernel), nullptr, missing});
  }
  return loops;
}

std::string missing_in_built(const std::string& name) {
  return format("'{}' runs on device arrays only; call the built module's ufunc on host arrays",
                name);
}

}  // namespace

KernelLibrary::KernelLibrary(declare::Declaration declaration)
    : KernelLibrary(std::move(declaration), nullptr) {}

KernelLibrary::KernelLibrary(declare::Declaration declaration,
                             std::shared_ptr<const BuiltImages> images)
    : declaration_(std::move(declaration)), images_(std::move(images)) {
  std::vector<declare::TypedKernel> kernels;
  for (const declare::TypeSignature& signature : declaration_.signatures) {
    declare::TypedKernel kernel = kernel_of(type_kernel(signature));
    if (declare::has_open_units(signature)) continue;  // calls decide
    kernels.push_back(std::move(kernel));
    if (declaration_.call_target == declare::CallTarget::kCuda) {
      analysis::require_device_scratch(kernels.back());
    }
  }
  if (!kernels.empty()) declared_ = compile(std::move(kernels));
}

declare::FrontEndResult KernelLibrary::type_kernel(const declare::TypeSignature& signature,
                                                   const std::vector<bool>& plain) const {
  if (const auto* body = std::get_if<declare::CppBody>(&declaration_.body)) {
    return {declare::type_cpp_kernel(*body, signature, declaration_.layout), {}, {}};
  }
  declare::FrontEndResult result = declare::type_python_kernel(
      std::get<declare::FunctionSyntax>(declaration_.body), signature, declaration_.layout, plain);
  result.kernel.name = declaration_.name;
  if (declaration_.math_mode == declare::MathMode::kReproducible) {
    auto errors = emit::irreproducible_calls(result.kernel);
    if (!errors.empty()) throw declare::KernelError(errors, result.sources);
  }
  return result;
}

declare::TypedKernel KernelLibrary::kernel_of(declare::FrontEndResult result) {
  const system::ForkHold hold;
  const std::lock_guard lock(mutex_);
  for (const declare::Diagnostic& warning : result.warnings) {
    add_warning(declare::make_warning(warning, result.sources));
  }
  return std::move(result.kernel);
}

// Other signatures of the same kernel repeat the warning.
void KernelLibrary::add_warning(declare::KernelWarning warning) {
  if (std::find(warnings_.begin(), warnings_.end(), warning) != warnings_.end()) return;
  warnings_.push_back(std::move(warning));
}

emit::Program KernelLibrary::program(std::vector<declare::TypedKernel> kernels) const {
  return {declaration_.name, std::move(kernels), declaration_.math_mode, declaration_.preamble,
          declaration_.linked};
}

std::vector<Loop> KernelLibrary::compile(std::vector<declare::TypedKernel> kernels) const {
  const emit::Program unit = program(std::move(kernels));
  if (images_ != nullptr) return loops_without_code(unit, missing_in_built(declaration_.name));
  const emit::Source source = emit::emit_cpu(unit);
  if (!source.missing.empty()) return loops_without_code(unit, source.missing);
  const auto options = with_declared(jit::HostOptions{}, declaration_);
  const auto object = load_compiled(declaration_.name, source, options);
  std::vector<Loop> loops;
  for (std::size_t i = 0; i < unit.kernels.size(); ++i) {
    auto* function = reinterpret_cast<LoopFunction*>(object->function(source.entry_points[i]));
    const declare::TypedKernel& kernel = unit.kernels[i];
    const auto least_work = least_shared_work(declaration_, kernel);
    ParallelLoop parallel = make_parallel_loop(function, kernel, least_work);
    if (kernel.layout) {
      parallel.variants = make_sized_variants(program({kernel}), options, least_work);
    }
    loops.push_back({kernel, std::move(parallel), object});
  }
  return loops;
}

// The signature for a call's types: the declared one with the call's units. Results of a Python
// kernel are inferred from its body.
declare::TypeSignature KernelLibrary::lazy_signature(const std::vector<base::DType>& inputs) const {
  for (const declare::TypeSignature& declared : declaration_.signatures) {
    const declare::TypeSignature signature = declare::with_units(declared, inputs);
    const bool has_inputs =
        std::ranges::equal(signature.inputs, inputs, {}, &declare::OperandType::dtype);
    if (has_inputs) return signature;
  }
  const auto* const body = std::get_if<declare::CppBody>(&declaration_.body);
  declare::TypeSignature signature =
      body != nullptr ? declare::body_signature(*body, inputs, declaration_.n_outputs)
                      : declare::promoted_signature(inputs, 0);
  if (declaration_.layout) declare::take_dimensions(signature, *declaration_.layout);
  return signature;
}

const Loop* KernelLibrary::Made::get() const {
  if (error) std::rethrow_exception(error);
  return loop.get();
}

// Errors that a repetition might not have are thrown.
template <class Make>
KernelLibrary::Made KernelLibrary::made_by(const Make& make) {
  try {
    return {std::make_unique<const Loop>(make()), nullptr};
  } catch (...) {
    if (!is_lasting(std::current_exception())) throw;
    return {nullptr, std::current_exception()};
  }
}

const Loop* KernelLibrary::find_typed(const LoopKey& key) {
  const std::lock_guard lock(mutex_);
  const auto found = lazy_.find(key);
  return found == lazy_.end() ? nullptr : found->second.typed.get();
}

const Loop& KernelLibrary::loop_for(const std::vector<base::DType>& inputs,
                                    const std::vector<bool>& plain) {
  const LoopKey key = {inputs, plain};
  if (const Loop* const known = find_typed(key)) return *known;
  const std::lock_guard one_makes(making_);
  if (const Loop* const known = find_typed(key)) return *known;
  Made typed = made_by([&] {
    declare::TypedKernel kernel = kernel_of(type_kernel(lazy_signature(inputs), plain));
    ParallelLoop without_code = make_parallel_loop(nullptr, kernel);
    return Loop{std::move(kernel), std::move(without_code), nullptr};
  });
  {
    const system::ForkHold hold;
    const std::lock_guard lock(mutex_);
    lazy_.emplace(key, LazyLoop{std::move(typed), {}});
  }
  return *find_typed(key);
}

// Requires mutex_.
KernelLibrary::LazyLoop& KernelLibrary::lazy_loop_of(const Loop& typed) {
  const auto found = std::find_if(lazy_.begin(), lazy_.end(), [&typed](const auto& entry) {
    return entry.second.typed.loop.get() == &typed;
  });
  NPP_ASSERT(found != lazy_.end(),
             format("a loop of another library than '{}'", declaration_.name));
  return found->second;
}

const Loop* KernelLibrary::find_compiled(const Loop& typed) {
  const std::lock_guard lock(mutex_);
  return lazy_loop_of(typed).compiled.get();
}

const Loop& KernelLibrary::compiled(const Loop& loop) {
  if (loop.is_compiled()) return loop;
  if (const Loop* const known = find_compiled(loop)) return *known;
  const std::lock_guard one_makes(making_);
  if (const Loop* const known = find_compiled(loop)) return *known;
  Made made = made_by([&] { return std::move(compile({loop.kernel}).front()); });
  {
    const system::ForkHold hold;
    const std::lock_guard lock(mutex_);
    lazy_loop_of(loop).compiled = std::move(made);
  }
  return *find_compiled(loop);
}

void KernelLibrary::note_registered(const Loop& loop) {
  const auto is_it = [&loop](const Loop& declared) { return &declared == &loop; };
  if (std::ranges::any_of(declared_, is_it)) return;
  const std::lock_guard lock(mutex_);
  lazy_loop_of(loop).is_registered = true;
}

std::vector<base::DType> KernelLibrary::result_dtypes(const std::vector<base::DType>& inputs,
                                                      const std::vector<bool>& plain) const {
  const declare::TypedKernel kernel = type_kernel(lazy_signature(inputs), plain).kernel;
  std::vector<base::DType> dtypes;
  for (const auto& output : kernel.signature.outputs) dtypes.push_back(output.dtype);
  return dtypes;
}

KernelVariants::Compile KernelLibrary::compiler_for(const Device& device) const {
  KernelVariants::Compile compile =
      device_compiler(with_declared(options_for(device), declaration_));
  if (images_ == nullptr) return compile;
  return [images = images_, compile = std::move(compile)](const Device& on,
                                                          const emit::Source& source) {
    const std::string* const image = images->find(source, on);
    return image != nullptr ? *image : compile(on, source);
  };
}

std::shared_ptr<const DeviceLoop> KernelLibrary::device_loop(
    const std::shared_ptr<Device>& device, const Loop& loop,
    const std::vector<base::DType>& stored) {
  return device_loops_.get(device, {&loop, stored}, [&] {
    return std::make_shared<const DeviceLoop>(
        device, DeviceLoop::Recipe{program({loop.kernel}), stored, compiler_for(*device),
                                   images_ ? images_->architecture_for(*device) : 0});
  });
}

std::shared_ptr<const GeneralizedLoop> KernelLibrary::generalized_loop(
    const std::shared_ptr<Device>& device, const Loop& loop) {
  return generalized_loops_.get(device, &loop, [&] {
    return std::make_shared<const GeneralizedLoop>(device, program({loop.kernel}),
                                                   compiler_for(*device), uses_cublas_);
  });
}

std::shared_ptr<const DeviceReduction> KernelLibrary::device_reduction(
    const std::shared_ptr<Device>& device, const Loop& loop, const std::vector<base::DType>& stored,
    bool is_reorderable) {
  return reductions_.get(device, {&loop, stored, is_reorderable}, [&] {
    return std::make_shared<const DeviceReduction>(
        device, DeviceReduction::Recipe{
                    .program = program({loop.kernel}),
                    .stored_input = stored[0],
                    .stored_output = stored[1],
                    .why_in_order = analysis::reassociation_obstacle(loop.kernel, is_reorderable),
                    .compile = compiler_for(*device),
                });
  });
}

std::vector<const Loop*> KernelLibrary::loops() {
  std::vector<const Loop*> result;
  for (const Loop& loop : declared_) result.push_back(&loop);
  const std::lock_guard lock(mutex_);
  for (const auto& [inputs, entry] : lazy_) {
    if (entry.is_registered) result.push_back(entry.typed.loop.get());
  }
  return result;
}

bool KernelLibrary::can_raise() const {
  if (!declaration_.signatures.empty()) {
    return std::any_of(declared_.begin(), declared_.end(),
                       [](const Loop& loop) { return declare::can_raise(loop.kernel); });
  }
  const auto* const function = std::get_if<declare::FunctionSyntax>(&declaration_.body);
  return function != nullptr && (function->checks_bounds || declare::may_raise(*function));
}

std::vector<declare::KernelWarning> KernelLibrary::take_warnings() {
  const std::lock_guard lock(mutex_);
  const auto first = warnings_.begin() + static_cast<std::ptrdiff_t>(n_warnings_taken_);
  n_warnings_taken_ = warnings_.size();
  return {first, warnings_.end()};
}

}  // namespace numpy_plugin::run
