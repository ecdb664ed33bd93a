#include "numpy_plugin/run/forms/cublas_product.hpp"

#include <algorithm>
#include <complex>
#include <iterator>
#include <tuple>

#include "numpy_plugin/run/device/per_device.hpp"
#include "numpy_plugin/system/fork.hpp"

namespace numpy_plugin::run {
namespace {

using std::int64_t;

// cuBLAS's names of a dtype, and of the arithmetic that sums its products.
struct CublasTypes {
  base::DType dtype;
  int data;     // cudaDataType
  int compute;  // cublasComputeType_t
  bool has_double_scale;
};
constexpr CublasTypes kTypes[] = {
    {base::DType::kFloat16, 2, 68, false},   {base::DType::kFloat32, 0, 68, false},
    {base::DType::kFloat64, 1, 70, true},    {base::DType::kComplex64, 4, 68, false},
    {base::DType::kComplex128, 5, 70, true},
};
constexpr int kDefaultAlgorithm = -1;

const CublasTypes* find_types(base::DType dtype) {
  const auto* const row = std::find_if(std::begin(kTypes), std::end(kTypes),
                                       [dtype](const CublasTypes& t) { return t.dtype == dtype; });
  return row == std::end(kTypes) ? nullptr : row;
}

// One dimension of a matrix; the stride in elements.
struct Side {
  int64_t size;
  int64_t stride;
};

// The distance of columns that run along `fast`; nullopt where they do not.
std::optional<int64_t> leading(const Side& fast, const Side& slow) {
  const bool is_contiguous = fast.size == 1 || fast.stride == 1;
  if (is_contiguous && slow.size == 1) return fast.size;
  return is_contiguous && slow.stride >= fast.size ? std::optional(slow.stride) : std::nullopt;
}

std::optional<CublasMatrices> matrices(const Side& rows, const Side& columns) {
  if (const auto distance = leading(rows, columns)) return CublasMatrices{0, false, *distance, 0};
  if (const auto distance = leading(columns, rows)) return CublasMatrices{0, true, *distance, 0};
  return {};
}

class CublasSearch {
 public:
  CublasSearch(const PlacedItems& placed, const analysis::MatrixProduct& product)
      : placed_(placed), product_(product), sizes_(tiled_sizes(placed.call, product)) {}

  CublasChoice run() {
    if (find_types(product_.total_dtype) == nullptr)
      return {{}, format("it has no products of {}", base::info(product_.total_dtype).name)};
    if (std::min({sizes_.rows, sizes_.columns, sizes_.depth}) == 0)
      return {{}, "the matrices are empty"};
    if (placed_.iteration.n_dimensions() > 1)
      return {{}, "the matrices of the operands have different layouts"};
    if (!find_matrices()) return {{}, "it takes matrices with contiguous rows or columns only"};
    return {found_, ""};
  }

 private:
  int64_t item_bytes() const {
    return static_cast<int64_t>(base::info(product_.total_dtype).n_bytes);
  }
  // A stride in elements; 0, which fits no side, where it is no multiple.
  int64_t in_elements(int64_t stride) const {
    return stride % item_bytes() == 0 ? stride / item_bytes() : 0;
  }
  Side side(std::size_t operand, int axis, int64_t size) const {
    return {size, in_elements(placed_.call.operands[operand].core_strides[axis])};
  }

  bool find_matrices() {
    const auto left = static_cast<std::size_t>(product_.left.input);
    const auto right = static_cast<std::size_t>(product_.right.input);
    const std::size_t out = placed_.n_inputs;
    const Side left_rows = side(left, product_.left.line_axis, sizes_.rows);
    const Side left_depth = side(left, product_.left.depth_axis, sizes_.depth);
    const Side right_columns = side(right, product_.right.line_axis, sizes_.columns);
    const Side right_depth = side(right, product_.right.depth_axis, sizes_.depth);
    const Side out_rows = side(out, product_.rows.axis, sizes_.rows);
    const Side out_columns = side(out, product_.columns.axis, sizes_.columns);
    found_.dtype = product_.total_dtype;
    found_.k = sizes_.depth;
    found_.n_products = placed_.iteration.n_elements();
    if (leading(out_columns, out_rows)) {  // the transposed result is in column-major order
      found_.m = sizes_.columns;
      found_.n = sizes_.rows;
      return place(found_.a, right, matrices(right_columns, right_depth)) &&
             place(found_.b, left, matrices(left_depth, left_rows)) &&
             place_result(matrices(out_columns, out_rows));
    }
    found_.m = sizes_.rows;
    found_.n = sizes_.columns;
    return place(found_.a, left, matrices(left_rows, left_depth)) &&
           place(found_.b, right, matrices(right_depth, right_columns)) &&
           place_result(matrices(out_rows, out_columns));
  }

  bool place(CublasMatrices& target, std::size_t operand,
             const std::optional<CublasMatrices>& found) const {
    if (!found) return false;
    target = *found;
    target.address = placed_.address(operand);
    if (found_.n_products == 1) return true;
    const int64_t n_bytes = placed_.iteration.strides(0)[operand];
    target.stride = in_elements(n_bytes);
    return n_bytes >= 0 && n_bytes % item_bytes() == 0;
  }

  // Results of different products may not interleave.
  bool place_result(const std::optional<CublasMatrices>& found) {
    if (!place(found_.c, placed_.n_inputs, found) || found_.c.is_transposed) return false;
    const int64_t n_elements = found_.c.leading * (found_.n - 1) + found_.m;
    return found_.n_products == 1 || found_.c.stride >= n_elements;
  }

  const PlacedItems& placed_;
  const analysis::MatrixProduct& product_;
  const TiledSizes sizes_;
  CublasProduct found_;
};

// A handle of cuBLAS on one device. Threads share it: a call sets its stream.
struct CublasHandle {
  void* handle = nullptr;
  mutable system::Mutex mutex;
};

std::shared_ptr<const CublasHandle> handle_of(const load::Cublas& library,
                                              const std::shared_ptr<Device>& device) {
  auto& handles = system::the_only<PerDevice<int, CublasHandle>>();
  return handles.get(device, 0, [&] {
    auto made = std::make_shared<CublasHandle>();
    library.check(library.cublasCreate(&made->handle), "to start on the device");
    return made;
  });
}

int transposition(const CublasMatrices& matrices) { return matrices.is_transposed ? 1 : 0; }

}  // namespace

CublasChoice choose_cublas(const PlacedItems& placed, const analysis::MatrixProduct& product) {
  return CublasSearch(placed, product).run();
}

load::FoundCublas find_cublas(const Device& device) {
  if (device.is_simulated()) return {nullptr, "the device is simulated"};
  return load::find_cublas(device.driver().version);
}

void launch_cublas(const load::Cublas& library, const Stream& stream,
                   const CublasProduct& product) {
  const std::shared_ptr<Device> device = stream.device();
  const CurrentContext current(*device);
  const std::shared_ptr<const CublasHandle> handle = handle_of(library, device);
  const CublasTypes& types = *find_types(product.dtype);
  // A real scale is the first part of a complex one.
  constexpr std::complex<float> kOne = 1, kZero = 0;
  constexpr std::complex<double> kDoubleOne = 1, kDoubleZero = 0;
  const bool is_double = types.has_double_scale;
  const void* const one = is_double ? static_cast<const void*>(&kDoubleOne) : &kOne;
  const void* const zero = is_double ? static_cast<const void*>(&kDoubleZero) : &kZero;
  const auto& [a, b, c] = std::tie(product.a, product.b, product.c);
  const std::lock_guard lock(handle->mutex);
  library.check(library.cublasSetStream(handle->handle, stream.handle()), "to set its stream");
  const int status = library.cublasGemmStridedBatchedEx(
      handle->handle, transposition(a), transposition(b), product.m, product.n, product.k, one,
      a.address, types.data, a.leading, a.stride, b.address, types.data, b.leading, b.stride, zero,
      c.address, types.data, c.leading, c.stride, product.n_products, types.compute,
      kDefaultAlgorithm);
  library.check(status, "to multiply matrices");
}

}  // namespace numpy_plugin::run
