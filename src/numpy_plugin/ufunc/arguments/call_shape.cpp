#include "numpy_plugin/ufunc/arguments/call_shape.hpp"

#include <algorithm>
#include <vector>

#include "numpy_plugin/ufunc/arguments/stand_ins.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

using Kind = Operand::Kind;
using run::ArrayOrder;

std::vector<const DeviceArray*> device_arrays(const CallOperands& operands) {
  std::vector<const DeviceArray*> arrays;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].kind == Kind::kDevice) arrays.push_back(operands[i].array);
  }
  if (operands.is_masked()) arrays.push_back(operands.mask().array);
  return arrays;
}

IteratorPointer make_iterator(const std::vector<const DeviceArray*>& arrays, NPY_ORDER order) {
  std::vector<nb::object> owned;
  std::vector<PyArrayObject*> operands;
  for (const DeviceArray* array : arrays) {
    owned.push_back(strided_stand_in(*array));
    operands.push_back(as_array(owned.back()));
  }
  std::vector<npy_uint32> flags(operands.size(), NPY_ITER_READONLY);
  NpyIter* iterator =
      NpyIter_MultiNew(static_cast<int>(operands.size()), operands.data(),
                       NPY_ITER_MULTI_INDEX | NPY_ITER_DONT_NEGATE_STRIDES | NPY_ITER_ZEROSIZE_OK,
                       order, NPY_NO_CASTING, flags.data(), nullptr);
  if (iterator == nullptr) throw nb::python_error();
  return IteratorPointer(iterator);
}

bool are_in_c_order(const CallOperands& operands) {
  const auto is_in_order = [](const Operand& operand) {
    return operand.kind != Kind::kDevice || operand.array->layout().is_contiguous(ArrayOrder::kC);
  };
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!is_in_order(operands[i])) return false;
  }
  return is_in_order(operands.mask());
}

}  // namespace

bool CallShape::add(const DeviceArray& array) {
  const std::vector<std::int64_t>& added = array.layout().shape;
  if (added.size() > run::kMaxDimensions) return false;
  if (added.size() > n_dimensions_) {
    const std::size_t n_new = added.size() - n_dimensions_;
    std::copy_backward(sizes_.begin(), sizes_.begin() + static_cast<std::ptrdiff_t>(n_dimensions_),
                       sizes_.begin() + static_cast<std::ptrdiff_t>(added.size()));
    std::fill_n(sizes_.begin(), n_new, 1);
    n_dimensions_ = added.size();
  }
  std::int64_t* const last = sizes_.data() + (n_dimensions_ - added.size());
  for (std::size_t axis = 0; axis < added.size(); ++axis) {
    if (added[axis] == last[axis] || added[axis] == 1) continue;
    if (last[axis] != 1) return false;
    last[axis] = added[axis];
  }
  return true;
}

bool CallShape::is_of(const DeviceArray& array) const {
  return std::ranges::equal(array.layout().shape, sizes());
}

bool CallShape::is_countable() const {
  std::int64_t n_elements = 1;
  bool fits = true;
  for (const std::int64_t n : sizes()) {
    if (n == 0) return true;
    fits = fits && !__builtin_mul_overflow(n_elements, n, &n_elements);
  }
  return fits;
}

const std::int64_t* CallStrides::of(const DeviceArray& array, const CallShape& shape) {
  const run::ArrayLayout& layout = array.layout();
  if (shape.is_of(array)) return layout.strides.data();
  if (std::ranges::all_of(layout.shape, [](std::int64_t n) { return n == 1; })) return nullptr;
  std::int64_t* const strides = strides_.data() + n_used_;
  const std::size_t n_new = shape.sizes().size() - layout.shape.size();
  n_used_ += shape.sizes().size();
  std::fill_n(strides, n_new, 0);
  for (std::size_t axis = 0; axis < layout.shape.size(); ++axis) {
    strides[n_new + axis] = layout.shape[axis] == 1 ? 0 : layout.strides[axis];
  }
  return strides;
}

run::ArrayLayout new_output_layout(const CallShape& shape, const CallOperands& operands,
                                   NPY_ORDER order, std::int64_t item_bytes) {
  const bool is_c = order == NPY_CORDER || (order != NPY_FORTRANORDER && are_in_c_order(operands));
  if (!is_c) return new_output_layout(shape, device_arrays(operands), order, item_bytes);
  const std::span<const std::int64_t> sizes = shape.sizes();
  return run::make_layout({sizes.begin(), sizes.end()}, item_bytes, ArrayOrder::kC);
}

run::ArrayLayout new_output_layout(const CallShape& shape,
                                   const std::vector<const DeviceArray*>& arrays, NPY_ORDER order,
                                   std::int64_t item_bytes) {
  const std::span<const std::int64_t> sizes = shape.sizes();
  run::ArrayLayout layout =
      run::make_layout({sizes.begin(), sizes.end()}, item_bytes, ArrayOrder::kC);
  if (layout.size() == 0 || arrays.empty()) return layout;
  const IteratorPointer iterator = make_iterator(arrays, order);
  if (NpyIter_CreateCompatibleStrides(iterator.get(), item_bytes, layout.strides.data()) !=
      NPY_SUCCEED) {
    throw nb::python_error();
  }
  return layout;
}

}  // namespace numpy_plugin::ufunc
