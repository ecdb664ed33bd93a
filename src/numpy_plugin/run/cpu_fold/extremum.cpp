#include "numpy_plugin/run/cpu_fold/extremum.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "numpy_plugin/run/cpu_fold/load_item.hpp"

namespace numpy_plugin::run {
namespace {

constexpr int kVectors = 4;  // whose comparisons overlap in time
constexpr int kVectorBytes = 16;

template <class Real>
struct BitsOf;
template <>
struct BitsOf<float> {
  using Type = std::int32_t;
};
template <>
struct BitsOf<double> {
  using Type = std::int64_t;
};

template <class Real>
struct ExtremumTypes {
  using Bits = typename BitsOf<Real>::Type;
  using Vector __attribute__((vector_size(kVectorBytes))) = Real;
  using Mask __attribute__((vector_size(kVectorBytes))) = Bits;
  static constexpr int kLanes = kVectorBytes / sizeof(Real);
  static constexpr long kTogether = kVectors * kLanes;
};

// Of words of 32 bits: g++ takes masks of 64 bits out of the vectors to combine them.
using Words __attribute__((vector_size(kVectorBytes))) = std::int32_t;

bool any_bit(const Words& words) { return (words[0] | words[1] | words[2] | words[3]) != 0; }

template <bool is_least, class Value>
Value better(const Value& value, const Value& best) {
  if constexpr (is_least) return value < best ? value : best;
  return value > best ? value : best;
}

// Whether there are negative zeros among contiguous numbers.
template <class Real>
bool has_negative_zero(const char* data, long n) {
  using Types = ExtremumTypes<Real>;
  using Bits = typename Types::Bits;
  constexpr Bits kNegativeZero = Bits(1) << (8 * sizeof(Bits) - 1);
  Words found = {};
  long i = 0;
  for (; i + Types::kLanes <= n; i += Types::kLanes) {
    const auto bits = load_item<typename Types::Mask>(data + i * long{sizeof(Real)});
    found |= reinterpret_cast<Words>(bits == kNegativeZero);
  }
  bool is_found = any_bit(found);
  for (; i < n; ++i) is_found |= load_item<Bits>(data + i * long{sizeof(Real)}) == kNegativeZero;
  return is_found;
}

// The extremum of vectors, several at a time.
template <class Real, bool is_least>
class Search {
  using Types = ExtremumTypes<Real>;
  using Indices = std::make_index_sequence<kVectors>;

 public:
  explicit Search(Real first) : Search(first, Indices()) {}
  void add(const char* data) { add(data, Indices()); }

  bool has_nan() const { return any_bit(nans_); }
  Real best() const {
    Real lanes[Types::kTogether];
    std::memcpy(lanes, best_, sizeof lanes);
    Real best = lanes[0];
    for (const Real lane : lanes) best = better<is_least>(lane, best);
    return best;
  }

 private:
  template <std::size_t... i>
  Search(Real first, std::index_sequence<i...>) {
    ((best_[i] = first - typename Types::Vector{}), ...);
  }
  template <std::size_t... i>
  void add(const char* data, std::index_sequence<i...>) {
    using Vector = typename Types::Vector;
    (add(load_item<Vector>(data + i * sizeof(Vector)), best_[i]), ...);
  }
  void add(const typename Types::Vector& numbers, typename Types::Vector& best) {
    nans_ |= reinterpret_cast<Words>(numbers != numbers);
    best = better<is_least>(numbers, best);
  }

  typename Types::Vector best_[kVectors];
  Words nans_ = {};
};

template <class Real, bool is_least>
bool update(char* found, const char* data, long n) {
  const Real first = load_item<Real>(found);
  Search<Real, is_least> search(first);
  constexpr long kTogether = ExtremumTypes<Real>::kTogether;
  const char* next = data;
  for (long n_left = n / kTogether; n_left > 0; --n_left, next += kTogether * sizeof(Real))
    search.add(next);
  Real best = search.best();
  bool has_nan = first != first || search.has_nan();
  for (long i = 0; i < n % kTogether; ++i, next += sizeof(Real)) {
    const Real number = load_item<Real>(next);
    has_nan |= number != number;
    best = better<is_least>(number, best);
  }
  if (has_nan) return false;
  if (best == 0 && (std::signbit(first) || has_negative_zero<Real>(data, n))) return false;
  std::memcpy(found, &best, sizeof best);
  return true;
}

}  // namespace

bool update_extremum(const Extremum& extremum, char* found, const char* data, long n) {
  const bool is_float = extremum.size == sizeof(float);
  if (extremum.is_least)
    return (is_float ? update<float, true> : update<double, true>)(found, data, n);
  return (is_float ? update<float, false> : update<double, false>)(found, data, n);
}

}  // namespace numpy_plugin::run
