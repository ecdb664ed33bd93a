#include "numpy_plugin/run/cpu/reduce/number_reductions.hpp"

#include <cstring>
#include <utility>

#include "numpy_plugin/run/cpu/reduce/pairwise_tree.hpp"

namespace numpy_plugin::run {
namespace {

// Between two questions whether the sum is over.
constexpr long kPartElements = long{1} << 16;

template <class Value>
struct RealOf {
  using Type = Value;
};
template <class Real>
struct RealOf<std::complex<Real>> {
  using Type = Real;
};

// The vector that every processor has.
template <class Real>
struct SumVector {
  using Type __attribute__((vector_size(16))) = Real;
};

template <class Value>
Value sum_in_order(Value sum, const char* data, long step, long n) {
  for (long i = 0; i < n; ++i, data += step) sum += load_item<Value>(data);
  return sum;
}

// Neighbours, then neighbouring pairs, and so on.
template <long n, class Value>
Value sum_of_neighbours(const Value* values) {
  if constexpr (n == 1) return *values;
  if constexpr (n > 1)
    return sum_of_neighbours<n / 2>(values) + sum_of_neighbours<n / 2>(values + n / 2);
}

// The accumulators of a block, as vectors or one by one.
template <class Value, class Item>
class Accumulators {
  static constexpr std::size_t kItems = kBlockAccumulators<Value> * sizeof(Value) / sizeof(Item);
  using Indices = std::make_index_sequence<kItems>;

 public:
  Accumulators(const char* data, long item_step) { load(data, item_step, Indices()); }
  void add(const char* data, long item_step) { add(data, item_step, Indices()); }

  Value sum() const {
    Value values[kBlockAccumulators<Value>];
    std::memcpy(values, items_, sizeof values);
    return sum_of_neighbours<kBlockAccumulators<Value>>(values);
  }

 private:
  template <std::size_t... i>
  void load(const char* data, long item_step, std::index_sequence<i...>) {
    ((items_[i] = load_item<Item>(data + static_cast<long>(i) * item_step)), ...);
  }
  template <std::size_t... i>
  void add(const char* data, long item_step, std::index_sequence<i...>) {
    ((items_[i] += load_item<Item>(data + static_cast<long>(i) * item_step)), ...);
  }

  Item items_[kItems];
};

// The steps are constants at the call for contiguous elements.
template <class Item, class Value>
Value sum_of_block(const char* data, long step, long item_step, long n) {
  constexpr long kTogether = kBlockAccumulators<Value>;
  if (n < kTogether) return sum_in_order(negative_zero<Value>(), data, step, n);
  Accumulators<Value, Item> sums(data, item_step);
  for (long n_left = n / kTogether; n_left > 1; --n_left) {
    data += kTogether * step;
    sums.add(data, item_step);
  }
  return sum_in_order(sums.sum(), data + kTogether * step, step, n % kTogether);
}

template <class Value>
Value sum_of_part(const char* data, long step, long n) {
  using Vector = typename SumVector<typename RealOf<Value>::Type>::Type;
  if (step == sizeof(Value)) {
    return add_parts<Value>(n, kSumBlockElements<Value>, [data](long first, long n_block) {
      constexpr long kStep = sizeof(Value);
      return sum_of_block<Vector, Value>(data + first * kStep, kStep, sizeof(Vector), n_block);
    });
  }
  return add_parts<Value>(n, kSumBlockElements<Value>, [data, step](long first, long n_block) {
    return sum_of_block<Value, Value>(data + first * step, step, step, n_block);
  });
}

template <class Value>
void add_all(char* total, const char* data, long step, long n, bool (*is_over)()) {
  Value sum = add_parts<Value>(n, kPartElements, [=](long first, long n_part) {
    if (n > kPartElements && is_over()) return Value();
    return sum_of_part<Value>(data + first * step, step, n_part);
  });
  sum = load_item<Value>(total) + sum;
  std::memcpy(total, &sum, sizeof(Value));
}

}  // namespace

void add_pairwise(Summand summand, char* total, const char* data, long step, long n,
                  bool (*is_over)()) {
  switch (summand) {
    case Summand::kFloat32:
      return add_all<float>(total, data, step, n, is_over);
    case Summand::kFloat64:
      return add_all<double>(total, data, step, n, is_over);
    case Summand::kComplex64:
      return add_all<std::complex<float>>(total, data, step, n, is_over);
    case Summand::kComplex128:
      return add_all<std::complex<double>>(total, data, step, n, is_over);
  }
}

}  // namespace numpy_plugin::run
