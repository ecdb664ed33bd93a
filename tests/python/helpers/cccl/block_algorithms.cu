// CUB's algorithms for warps and blocks: 128 threads with 4 items each, one block for 512 values.
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_rank.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_run_length_decode.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_shuffle.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

constexpr int kThreads = 128;
constexpr int kItems = 4;

struct Less {
  template <class T>
  __device__ bool operator()(const T& one, const T& other) const {
    return one < other;
  }
};

struct Difference {
  template <class T>
  __device__ T operator()(const T& one, const T& other) const {
    return one - other;
  }
};

struct NotEqual {
  template <class T>
  __device__ bool operator()(const T& one, const T& other) const {
    return one != other;
  }
};

struct Largest {
  template <class T>
  __device__ T operator()(const T& one, const T& other) const {
    return one < other ? other : one;
  }
};

template <class T>
__device__ void load(const T* values, T (&items)[kItems]) {
  using Load = cub::BlockLoad<T, kThreads, kItems, cub::BLOCK_LOAD_TRANSPOSE>;
  __shared__ typename Load::TempStorage storage;
  Load(storage).Load(values + blockIdx.x * kThreads * kItems, items);
  __syncthreads();
}

template <class T>
__device__ void store(T* results, T (&items)[kItems]) {
  using Store = cub::BlockStore<T, kThreads, kItems, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  __shared__ typename Store::TempStorage storage;
  __syncthreads();
  Store(storage).Store(results + blockIdx.x * kThreads * kItems, items);
}

template <class T, cub::BlockReduceAlgorithm kAlgorithm>
__device__ void reduce(const T* values, T* results) {
  using Reduce = cub::BlockReduce<T, kThreads, kAlgorithm>;
  __shared__ typename Reduce::TempStorage storage;
  T items[kItems];
  load(values, items);
  const T sum = Reduce(storage).Sum(items);
  __syncthreads();
  const T largest = Reduce(storage).Reduce(items, Largest());
  if (threadIdx.x == 0) {
    results[2 * blockIdx.x] = sum;
    results[2 * blockIdx.x + 1] = largest;
  }
}

template <class T, cub::BlockScanAlgorithm kAlgorithm>
__device__ void scan(const T* values, T* inclusive, T* exclusive) {
  using Scan = cub::BlockScan<T, kThreads, kAlgorithm>;
  __shared__ typename Scan::TempStorage storage;
  T items[kItems], sums[kItems];
  load(values, items);
  Scan(storage).InclusiveSum(items, sums);
  store(inclusive, sums);
  __syncthreads();
  Scan(storage).ExclusiveScan(items, sums, values[0], Largest());
  store(exclusive, sums);
}

template <class T>
__device__ void radix_sort(const T* values, T* ascending, T* descending) {
  using Sort = cub::BlockRadixSort<T, kThreads, kItems>;
  __shared__ typename Sort::TempStorage storage;
  T items[kItems];
  load(values, items);
  Sort(storage).Sort(items);
  store(ascending, items);
  __syncthreads();
  Sort(storage).SortDescendingBlockedToStriped(items);
  cub::StoreDirectStriped<kThreads>(
      threadIdx.x, descending + blockIdx.x * kThreads * kItems, items);
}

template <class T>
__device__ void radix_sort_pairs(const T* values, T* keys, int* places) {
  using Sort = cub::BlockRadixSort<T, kThreads, kItems, int>;
  __shared__ typename Sort::TempStorage storage;
  T items[kItems];
  int numbers[kItems];
  load(values, items);
  for (int item = 0; item < kItems; ++item) numbers[item] = threadIdx.x * kItems + item;
  Sort(storage).Sort(items, numbers);
  store(keys, items);
  store(places, numbers);
}

template <class T>
__device__ void merge_sort(const T* values, T* results, int n_valid) {
  using Sort = cub::BlockMergeSort<T, kThreads, kItems>;
  __shared__ typename Sort::TempStorage storage;
  T items[kItems];
  load(values, items);
  Sort(storage).StableSort(items, Less(), n_valid, T(1 << 20));
  store(results, items);
}

template <cub::BlockHistogramAlgorithm kAlgorithm>
__device__ void histogram(const unsigned char* values, unsigned* counts) {
  using Histogram = cub::BlockHistogram<unsigned char, kThreads, kItems, 256, kAlgorithm>;
  __shared__ typename Histogram::TempStorage storage;
  __shared__ unsigned bins[256];
  unsigned char items[kItems];
  cub::LoadDirectStriped<kThreads>(threadIdx.x, values + blockIdx.x * kThreads * kItems, items);
  Histogram(storage).Histogram(items, bins);
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += kThreads) counts[blockIdx.x * 256 + bin] = bins[bin];
}

extern "C" {

__global__ void reduce_int(const int* values, int* results) {
  reduce<int, cub::BLOCK_REDUCE_WARP_REDUCTIONS>(values, results);
}
__global__ void reduce_raking_double(const double* values, double* results) {
  reduce<double, cub::BLOCK_REDUCE_RAKING>(values, results);
}
__global__ void reduce_commutative_float(const float* values, float* results) {
  reduce<float, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>(values, results);
}
__global__ void scan_int(const int* values, int* inclusive, int* exclusive) {
  scan<int, cub::BLOCK_SCAN_WARP_SCANS>(values, inclusive, exclusive);
}
__global__ void scan_raking_double(const double* values, double* inclusive, double* exclusive) {
  scan<double, cub::BLOCK_SCAN_RAKING>(values, inclusive, exclusive);
}
__global__ void scan_memoize_short(const short* values, short* inclusive, short* exclusive) {
  scan<short, cub::BLOCK_SCAN_RAKING_MEMOIZE>(values, inclusive, exclusive);
}
__global__ void radix_sort_int(const int* values, int* ascending, int* descending) {
  radix_sort(values, ascending, descending);
}
__global__ void radix_sort_float(const float* values, float* ascending, float* descending) {
  radix_sort(values, ascending, descending);
}
__global__ void radix_sort_double(const double* values, double* ascending, double* descending) {
  radix_sort(values, ascending, descending);
}
__global__ void radix_sort_pairs_short(const short* values, short* keys, int* places) {
  radix_sort_pairs(values, keys, places);
}
__global__ void merge_sort_int(const int* values, int* results, int n_valid) {
  merge_sort(values, results, n_valid);
}
__global__ void merge_sort_double(const double* values, double* results, int n_valid) {
  merge_sort(values, results, n_valid);
}
__global__ void histogram_atomic(const unsigned char* values, unsigned* counts) {
  histogram<cub::BLOCK_HISTO_ATOMIC>(values, counts);
}
__global__ void histogram_sort(const unsigned char* values, unsigned* counts) {
  histogram<cub::BLOCK_HISTO_SORT>(values, counts);
}

__global__ void exchange(const int* values, int* results) {
  using Exchange = cub::BlockExchange<int, kThreads, kItems>;
  __shared__ Exchange::TempStorage storage;
  int items[kItems];
  cub::LoadDirectStriped<kThreads>(threadIdx.x, values, items);
  Exchange(storage).StripedToBlocked(items, items);
  for (int item = 0; item < kItems; ++item) items[item] += 1000 * item;
  __syncthreads();
  Exchange(storage).BlockedToStriped(items, items);
  cub::StoreDirectStriped<kThreads>(threadIdx.x, results, items);
}

__global__ void differences(const int* values, int* results, int* flags) {
  using Adjacent = cub::BlockAdjacentDifference<int, kThreads>;
  using Discontinuity = cub::BlockDiscontinuity<int, kThreads>;
  __shared__ union {
    Adjacent::TempStorage adjacent;
    Discontinuity::TempStorage discontinuity;
  } storage;
  int items[kItems], found[kItems];
  load(values, items);
  Adjacent(storage.adjacent).SubtractLeft(items, found, Difference());
  store(results, found);
  __syncthreads();
  Discontinuity(storage.discontinuity).FlagHeads(found, items, NotEqual());
  store(flags, found);
}

__global__ void shift(const int* values, int* results) {
  using Shuffle = cub::BlockShuffle<int, kThreads>;
  __shared__ Shuffle::TempStorage storage;
  int items[kItems];
  load(values, items);
  Shuffle(storage).Up(items, items);
  if (threadIdx.x == 0) items[0] = -1;
  store(results, items);
}

// Run number i has `i % 7 + 1` times the value of item i; the block decodes the first 512.
__global__ void decode_runs(const int* values, int* results) {
  using Decode = cub::BlockRunLengthDecode<int, kThreads, kItems, kItems>;
  __shared__ Decode::TempStorage storage;
  int items[kItems], lengths[kItems], decoded[kItems];
  load(values, items);
  for (int item = 0; item < kItems; ++item) lengths[item] = (threadIdx.x * kItems + item) % 7 + 1;
  int n_decoded = 0;
  Decode decode(storage, items, lengths, n_decoded);
  decode.RunLengthDecode(decoded, 0);
  store(results, decoded);
}

__global__ void warp_algorithms(const int* values, int* sums, int* scans, int* sorted) {
  using Reduce = cub::WarpReduce<int, 16>;
  using Scan = cub::WarpScan<int>;
  using Sort = cub::WarpMergeSort<int, kItems>;
  __shared__ Reduce::TempStorage reduce_storage[kThreads / 16];
  __shared__ Scan::TempStorage scan_storage[kThreads / 32];
  __shared__ Sort::TempStorage sort_storage[kThreads / 32];
  int items[kItems];
  load(values, items);
  const int sum = Reduce(reduce_storage[threadIdx.x / 16]).Sum(items[0]);
  if (threadIdx.x % 16 == 0) sums[threadIdx.x / 16] = sum;
  int before = 0;
  Scan(scan_storage[threadIdx.x / 32]).ExclusiveSum(items[0], before);
  scans[threadIdx.x] = before;
  Sort(sort_storage[threadIdx.x / 32]).Sort(items, Less());
  store(sorted, items);
}

}  // extern "C"
