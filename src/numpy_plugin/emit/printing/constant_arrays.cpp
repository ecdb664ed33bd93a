// Elements as literals, in C order.
#include "numpy_plugin/emit/printing/kernel_struct.hpp"

#include <complex>
#include <cstring>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/emit/printing/cpp_text.hpp"

namespace numpy_plugin::emit {
namespace {

using base::DType;
using declare::ConstantArray;

// Limit per array and for all together: a device's constant memory has 64 KiB. Other arrays are in
// global memory.
constexpr std::size_t kConstantBytes = 4096;
constexpr std::size_t kAllConstantBytes = 65536 - kConstantBytes;

template <class T>
T read(const char* element) {
  T value;
  std::memcpy(&value, element, sizeof value);
  return value;
}

std::int64_t read_signed(const char* element, std::size_t n_bytes) {
  if (n_bytes == 1) return read<std::int8_t>(element);
  if (n_bytes == 2) return read<std::int16_t>(element);
  return n_bytes == 4 ? read<std::int32_t>(element) : read<std::int64_t>(element);
}

std::uint64_t read_unsigned(const char* element, std::size_t n_bytes) {
  if (n_bytes == 1) return read<std::uint8_t>(element);
  if (n_bytes == 2) return read<std::uint16_t>(element);
  return n_bytes == 4 ? read<std::uint32_t>(element) : read<std::uint64_t>(element);
}

// 16-bit floats have no literals; from_bits() needs no dynamic initialization.
std::string half(const char* element, DType dtype) {
  return format("{}::from_bits({}u)", base::info(dtype).cpp_name, read<std::uint16_t>(element));
}

std::string element_text(const char* element, DType dtype) {
  const std::size_t n_bytes = base::info(dtype).n_bytes;
  switch (base::info(dtype).kind) {
    case base::DTypeKind::kBoolean:
      return read<std::uint8_t>(element) != 0 ? "true" : "false";
    case base::DTypeKind::kSigned:
    case base::DTypeKind::kTime:
      return print_constant(read_signed(element, n_bytes), dtype);
    case base::DTypeKind::kUnsigned:
      return print_constant(read_unsigned(element, n_bytes), dtype);
    case base::DTypeKind::kFloating:
      if (n_bytes == 2) return half(element, dtype);
      return print_constant(n_bytes == 4 ? double{read<float>(element)} : read<double>(element),
                            dtype);
    case base::DTypeKind::kComplex:
      break;
  }
  if (n_bytes == 16) return print_constant(read<std::complex<double>>(element), dtype);
  return print_constant(std::complex<double>(read<std::complex<float>>(element)), dtype);
}

bool is_small(const ConstantArray& array) { return array.bytes.size() <= kConstantBytes; }

// Whether an array fits into constant memory with the small arrays already named.
bool is_in_constant_memory(const ConstantArray& array, const ConstantNames& names) {
  std::size_t n_bytes = array.bytes.size();
  for (const auto& [other, name] : names) {
    if (is_small(*other)) n_bytes += other->bytes.size();
  }
  return is_small(array) && n_bytes <= kAllConstantBytes;
}

std::string definition(const ConstantArray& array, const std::string& name, bool is_constant) {
  const base::DTypeInfo& info = base::info(array.dtype);
  std::vector<std::string> elements;
  for (std::size_t first = 0; first < array.bytes.size(); first += info.n_bytes)
    elements.push_back(element_text(array.bytes.data() + first, array.dtype));
  std::string type = format("npp::LocalArray<{}", info.cpp_name);
  for (const std::int64_t size : array.sizes) type += format(", {}", size);
  return format("{} {}> {} = {{{}}};\n\n", is_constant ? "NPP_CONSTANT" : "NPP_LARGE_CONSTANT",
                type, name, base::join(elements, ", "));
}

}  // namespace

std::string print_constant_arrays(const declare::PythonKernel& kernel, ConstantNames& names) {
  std::string text;
  const auto add = [&](const declare::Function& function) {
    for (const declare::Local& local : function.locals) {
      const ConstantArray* const array = local.storage.constant.get();
      if (array == nullptr || names.contains(array)) continue;
      const bool is_constant = is_in_constant_memory(*array, names);
      Names own;  // unique by its number, so it can't collide
      names[array] = own.add(format("{}_constant_{}", local.name, names.size()));
      text += definition(*array, names[array], is_constant);
    }
  };
  for (const declare::Function& function : kernel.device_functions) add(function);
  add(kernel.function);
  return text;
}

}  // namespace numpy_plugin::emit
