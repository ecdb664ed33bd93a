// Device-wide algorithms of CUB and thrust, as their users call them; exits with the number of
// algorithms whose results differ from the standard library's.
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <numeric>
#include <vector>

namespace {

constexpr int kSize = 20'000;
int n_wrong = 0;

void require(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorString(status));
  std::exit(100);
}

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t size) : size_(size) {
    require(cudaMalloc(&data_, size * sizeof(T)), "cudaMalloc");
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    require(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice), "copy");
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() const { return data_; }
  std::vector<T> values() const {
    std::vector<T> values(size_);
    require(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost), "copy");
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

// CUB's functions are called twice: for the size of their storage, and to run.
template <class Call>
void run(const char* name, const Call& call) {
  std::size_t n_bytes = 0;
  require(call(nullptr, n_bytes), name);
  DeviceArray<char> storage(std::max<std::size_t>(n_bytes, 1));
  require(call(storage.data(), n_bytes), name);
  require(cudaDeviceSynchronize(), name);
}

template <class T>
void check(const char* name, const std::vector<T>& found, const std::vector<T>& expected) {
  const bool is_equal = found == expected;
  std::printf("%s: %s\n", name, is_equal ? "equal" : "different");
  n_wrong += is_equal ? 0 : 1;
}

std::vector<int> numbers(int limit) {
  std::vector<int> values(kSize);
  unsigned state = 12345;
  for (int& value : values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<int>(state >> 8) % limit - limit / 2;
  }
  return values;
}

void check_reductions(const std::vector<int>& values, const DeviceArray<int>& input) {
  DeviceArray<int> result(1);
  run("sum", [&](void* storage, std::size_t& n_bytes) {
    return cub::DeviceReduce::Sum(storage, n_bytes, input.data(), result.data(), kSize);
  });
  check("sum", result.values(), {std::accumulate(values.begin(), values.end(), 0)});
  run("largest", [&](void* storage, std::size_t& n_bytes) {
    return cub::DeviceReduce::Max(storage, n_bytes, input.data(), result.data(), kSize);
  });
  check("largest", result.values(), {*std::max_element(values.begin(), values.end())});
}

void check_scans(const std::vector<int>& values, const DeviceArray<int>& input) {
  DeviceArray<int> result(kSize);
  run("scan", [&](void* storage, std::size_t& n_bytes) {
    return cub::DeviceScan::InclusiveSum(storage, n_bytes, input.data(), result.data(), kSize);
  });
  std::vector<int> sums(kSize);
  std::partial_sum(values.begin(), values.end(), sums.begin());
  check("scan", result.values(), sums);
  thrust::exclusive_scan(thrust::device, input.data(), input.data() + kSize, result.data(), 7);
  std::exclusive_scan(values.begin(), values.end(), sums.begin(), 7);
  check("thrust::exclusive_scan", result.values(), sums);
}

void check_sorts(std::vector<int> values, const DeviceArray<int>& input) {
  DeviceArray<int> result(kSize);
  run("radix sort", [&](void* storage, std::size_t& n_bytes) {
    return cub::DeviceRadixSort::SortKeys(storage, n_bytes, input.data(), result.data(), kSize);
  });
  DeviceArray<int> merged(values);
  thrust::sort(thrust::device, merged.data(), merged.data() + kSize, thrust::greater<int>());
  std::sort(values.begin(), values.end());
  check("radix sort", result.values(), values);
  std::reverse(values.begin(), values.end());
  check("thrust::sort", merged.values(), values);
}

void check_selection(const std::vector<int>& values, const DeviceArray<int>& input) {
  const auto is_chosen = [] __host__ __device__(int value) { return value % 3 == 0; };
  DeviceArray<int> result(kSize), count(1);
  run("selection", [&](void* storage, std::size_t& n_bytes) {
    return cub::DeviceSelect::If(storage, n_bytes, input.data(), result.data(), count.data(), kSize,
                                 is_chosen);
  });
  std::vector<int> chosen;
  std::copy_if(values.begin(), values.end(), std::back_inserter(chosen), is_chosen);
  std::vector<int> found = result.values();
  found.resize(static_cast<std::size_t>(count.values()[0]));
  check("selection", found, chosen);
}

void check_histogram(const std::vector<int>& values, const DeviceArray<int>& input) {
  constexpr int kBins = 50;
  DeviceArray<int> counts(kBins);
  run("histogram", [&](void* storage, std::size_t& n_bytes) {
    return cub::DeviceHistogram::HistogramEven(storage, n_bytes, input.data(), counts.data(),
                                               kBins + 1, -500, 500, kSize);
  });
  std::vector<int> expected(kBins);
  for (int value : values) ++expected[static_cast<std::size_t>((value + 500) / 20)];
  check("histogram", counts.values(), expected);
}

}  // namespace

int main() {
  const std::vector<int> values = numbers(1000);
  const DeviceArray<int> input(values);
  check_reductions(values, input);
  check_scans(values, input);
  check_sorts(values, input);
  check_selection(values, input);
  check_histogram(values, input);
  return n_wrong;
}
