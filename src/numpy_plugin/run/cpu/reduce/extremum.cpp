#include "numpy_plugin/run/cpu/reduce/number_reductions.hpp"

#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "numpy_plugin/run/cpu/reduce/pairwise_tree.hpp"

namespace numpy_plugin::run {
namespace {

constexpr int kVectors = 4;  // whose comparisons overlap in time

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

// Vectors of `bytes` bytes. They are in registers only within functions for processors that have
// such, so that everything is inlined there.
template <class Real, int bytes>
struct ExtremumTypes {
  using Bits = typename BitsOf<Real>::Type;
  using Vector __attribute__((vector_size(bytes))) = Real;
  using Mask __attribute__((vector_size(bytes))) = Bits;
  // Of words of 32 bits: g++ takes masks of 64 bits out of the vectors to combine them.
  using Words __attribute__((vector_size(bytes))) = std::int32_t;
  static constexpr int kLanes = bytes / sizeof(Real);
  static constexpr long kTogether = kVectors * kLanes;
};

#define NPP_INLINED __attribute__((always_inline)) inline

template <class Words>
NPP_INLINED bool any_bit(const Words& words) {
  std::int32_t parts[sizeof(Words) / sizeof(std::int32_t)];
  std::memcpy(parts, &words, sizeof parts);
  std::int32_t any = 0;
  for (const std::int32_t part : parts) any |= part;
  return any != 0;
}

template <bool is_least, class Value>
NPP_INLINED void take_better(const Value& value, Value& best) {
  if constexpr (is_least) best = value < best ? value : best;
  if constexpr (!is_least) best = value > best ? value : best;
}

// Whether there are negative zeros among contiguous numbers.
template <class Real>
bool has_negative_zero(const char* data, long n) {
  using Types = ExtremumTypes<Real, 16>;
  using Bits = typename Types::Bits;
  constexpr Bits kNegativeZero = Bits(1) << (8 * sizeof(Bits) - 1);
  typename Types::Words found = {};
  long i = 0;
  for (; i + Types::kLanes <= n; i += Types::kLanes) {
    const auto bits = load_item<typename Types::Mask>(data + i * long{sizeof(Real)});
    found |= reinterpret_cast<typename Types::Words>(bits == kNegativeZero);
  }
  bool is_found = any_bit(found);
  for (; i < n; ++i) is_found |= load_item<Bits>(data + i * long{sizeof(Real)}) == kNegativeZero;
  return is_found;
}

// The extremum of vectors, several at a time.
template <class Real, bool is_least, int bytes>
class Search {
  using Types = ExtremumTypes<Real, bytes>;
  using Vector = typename Types::Vector;
  using Words = typename Types::Words;
  using Indices = std::make_index_sequence<kVectors>;

 public:
  NPP_INLINED explicit Search(Real first) : Search(first, Indices()) {}
  NPP_INLINED void add(const char* data) { add(data, Indices()); }

  NPP_INLINED bool has_nan() const {
    Words any = {};
    for (const Words& nans : nans_) any |= nans;
    return any_bit(any);
  }
  NPP_INLINED Real best() const {
    Real lanes[Types::kTogether];
    std::memcpy(lanes, best_, sizeof lanes);
    Real best = lanes[0];
    for (const Real lane : lanes) take_better<is_least>(lane, best);
    return best;
  }

 private:
  template <std::size_t... i>
  NPP_INLINED Search(Real first, std::index_sequence<i...>) {
    ((best_[i] = first - Vector{}), ...);
  }
  template <std::size_t... i>
  NPP_INLINED void add(const char* data, std::index_sequence<i...>) {
    (add(data + i * sizeof(Vector), best_[i], nans_[i]), ...);
  }
  NPP_INLINED void add(const char* data, Vector& best, Words& nans) {
    Vector numbers;
    std::memcpy(&numbers, data, sizeof numbers);
    nans |= reinterpret_cast<Words>(numbers != numbers);
    take_better<is_least>(numbers, best);
  }

  Vector best_[kVectors];
  Words nans_[kVectors] = {};
};

template <class Real, bool is_least, int bytes>
NPP_INLINED bool update(char* found, const char* data, long n) {
  const Real first = load_item<Real>(found);
  Search<Real, is_least, bytes> search(first);
  constexpr long kTogether = ExtremumTypes<Real, bytes>::kTogether;
  const char* next = data;
  for (long n_left = n / kTogether; n_left > 0; --n_left, next += kTogether * sizeof(Real))
    search.add(next);
  Real best = search.best();
  bool has_nan = first != first || search.has_nan();
  for (long i = 0; i < n % kTogether; ++i, next += sizeof(Real)) {
    const Real number = load_item<Real>(next);
    has_nan |= number != number;
    take_better<is_least>(number, best);
  }
  if (has_nan) return false;
  if (best == 0 && (std::signbit(first) || has_negative_zero<Real>(data, n))) return false;
  std::memcpy(found, &best, sizeof best);
  return true;
}

template <int bytes>
NPP_INLINED bool update_by(const Extremum& extremum, char* found, const char* data, long n) {
  const bool is_float = extremum.size == sizeof(float);
  if (extremum.is_least && is_float) return update<float, true, bytes>(found, data, n);
  if (extremum.is_least) return update<double, true, bytes>(found, data, n);
  if (is_float) return update<float, false, bytes>(found, data, n);
  return update<double, false, bytes>(found, data, n);
}

using Update = bool(const Extremum&, char*, const char*, long);

bool update_by_16(const Extremum& extremum, char* found, const char* data, long n) {
  return update_by<16>(extremum, found, data, n);
}

#ifdef __x86_64__
__attribute__((target("avx2"))) bool update_by_32(const Extremum& extremum, char* found,
                                                  const char* data, long n) {
  return update_by<32>(extremum, found, data, n);
}
Update* widest_update() { return __builtin_cpu_supports("avx2") ? update_by_32 : update_by_16; }
#else
Update* widest_update() { return update_by_16; }
#endif

std::atomic<Update*> chosen_update = nullptr;

}  // namespace

bool update_extremum(const Extremum& extremum, char* found, const char* data, long n) {
  Update* update = chosen_update.load(std::memory_order_relaxed);
  if (update == nullptr) chosen_update = update = widest_update();
  return update(extremum, found, data, n);
}

}  // namespace numpy_plugin::run
