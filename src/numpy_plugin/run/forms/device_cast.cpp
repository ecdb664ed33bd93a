// One elementwise kernel per pair of dtypes, created lazily.
#include "numpy_plugin/run/forms/device_move.hpp"

#include <cstring>
#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/infer/expressions/infer_times.hpp"
#include "numpy_plugin/infer/statements/kernel_checks.hpp"
#include "numpy_plugin/run/device/per_device.hpp"
#include "numpy_plugin/run/forms/device_loop.hpp"
#include "numpy_plugin/system/fork.hpp"

namespace numpy_plugin::run {
namespace {

using base::DType;
using declare::Expression;
using declare::ExpressionKind;
using declare::ValueType;

// More driver calls take longer than a kernel.
constexpr std::int64_t kMaxCopyCalls = 4;

Expression in_other_unit(const Expression& time, DType to) {
  auto converted = declare::in_unit(time, to);
  if (converted) return std::move(*converted);
  throw base::Error(base::ErrorKind::kType, format("no kernel casts {} to {}",
                                                   base::name(time.type.dtype), base::name(to)));
}

declare::TypedKernel cast_kernel(DType to, DType from) {
  declare::Function function;
  function.name = "cast";
  function.locals = {{"x", ValueType::scalar(from)}};
  function.n_parameters = 1;
  function.result = ValueType::scalar(to);
  const Expression x{
      ExpressionKind::kLocal, ValueType::scalar(from), {}, {}, declare::LocalReference{0}};
  Expression value{ExpressionKind::kCast, function.result, {}, {x}};
  if (base::is_time(from) && base::is_time(to)) value = in_other_unit(x, to);
  function.body.push_back({declare::StatementKind::kReturn, {}, 0, value, {}, {}, {}, {}});
  declare::PythonKernel kernel{std::move(function), {}};
  declare::store_times(kernel);
  return {"cast", {{{from}}, {{to}}}, {}, std::move(kernel)};
}

std::shared_ptr<const DeviceLoop> cast_loop(const std::shared_ptr<Device>& device, DType to,
                                            DType from) {
  auto& loops = system::the_only<PerDevice<std::pair<DType, DType>, DeviceLoop>>();
  return loops.get(device, {to, from}, [&] {
    emit::Program program;
    program.name = "cast";
    program.kernels.push_back(cast_kernel(to, from));
    return std::make_shared<const DeviceLoop>(
        device,
        DeviceLoop::Recipe{std::move(program), {from, to}, device_compiler(options_for(*device))});
  });
}

CallOperand operand(const DeviceMemory& memory, DType dtype) {
  return {.dtype = dtype, .address = memory.address(), .strides = memory.layout.strides.data()};
}

}  // namespace

void launch_cast(const std::shared_ptr<Stream>& stream, const DeviceMemory& to, DType to_dtype,
                 const DeviceMemory& from, DType from_dtype) {
  to.buffer->use_on(stream);
  from.buffer->use_on(stream, Access::kRead);
  const CallOperand operands[] = {operand(from, from_dtype), operand(to, to_dtype)};
  cast_loop(stream->device(), to_dtype, from_dtype)
      ->launch(stream, {.shape = to.layout.shape, .operands = operands});
}

void launch_fill(const std::shared_ptr<Stream>& stream, const DeviceMemory& array, DType dtype,
                 const void* element) {
  array.buffer->use_on(stream);
  CallOperand operands[] = {{.dtype = dtype, .is_value = true}, operand(array, dtype)};
  std::memcpy(operands[0].slot.data(), element, base::info(dtype).n_bytes);
  cast_loop(stream->device(), dtype, dtype)
      ->launch(stream, {.shape = array.layout.shape, .operands = operands});
}

void cast_on_device(const std::shared_ptr<Stream>& stream, const DeviceMemory& to, DType to_dtype,
                    const DeviceMemory& from, DType from_dtype) {
  if (to.layout.size() == 0) return;
  const bool is_in_few_pieces =
      to_dtype == from_dtype && plan_copy(to.layout, from.layout).n_calls() <= kMaxCopyCalls;
  if (is_in_few_pieces) return move_on_device(stream, to, from);
  launch_cast(stream, to, to_dtype, from, from_dtype);
}

}  // namespace numpy_plugin::run
