// Operands for tests: critical values, and random ones near them.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "simulator/handlers/reference.hpp"

namespace numpy_plugin::sim {

inline std::vector<std::uint64_t> hard_integers(int n_bits) {
  std::vector<std::uint64_t> values = {0, 1, 2, 3, 5, 7, 8, 31, 32, 33, 63, 64, 65, 100, 255, 256};
  for (int bit = 4; bit < n_bits; bit += 3) values.push_back(std::uint64_t{1} << bit);
  const std::uint64_t top = std::uint64_t{1} << (n_bits - 1);
  for (const std::uint64_t near : {top, std::uint64_t{0}}) {
    for (std::uint64_t distance = 0; distance < 4; ++distance) values.push_back(near - distance);
  }
  values.push_back(top + 1);
  return values;
}

inline std::vector<std::uint64_t> hard_floats(const exact::Format& format) {
  const std::uint64_t unit = std::uint64_t{1} << format.fraction_bits;
  const std::uint64_t one = format.one();
  const std::uint64_t infinity = format.infinity();
  std::vector<std::uint64_t> values = {0,
                                       1,
                                       2,
                                       3,
                                       unit / 2,
                                       unit - 1,
                                       unit,
                                       unit + 1,
                                       one,
                                       one - 1,
                                       one + 1,
                                       one + unit,
                                       one + unit / 2,
                                       one - unit,
                                       infinity - 1,
                                       infinity,
                                       infinity - 2,
                                       infinity - unit,
                                       infinity + 1,
                                       infinity + unit / 2};
  // Halves between integers, and the bounds of the integer types.
  for (const std::uint64_t doubled : {3u, 5u, 7u, 9u, 255u, 511u, 65535u}) {
    exact::Number number = exact::from_integer(static_cast<exact::SignedWide>(doubled));
    number.exponent = -1;
    values.push_back(exact::encode(number, format, Rounding::kNearest));
  }
  for (const int bit : {7, 8, 15, 16, 31, 32, 63, 64}) {
    exact::Number number = exact::from_integer(exact::SignedWide{1} << bit);
    const std::uint64_t bound = exact::encode(number, format, Rounding::kNearest);
    for (const std::uint64_t value : {bound - 1, bound, bound + 1}) values.push_back(value);
  }
  const std::size_t n_positive = values.size();
  for (std::size_t index = 0; index < n_positive; ++index) {
    values.push_back(values[index] | format.sign());
  }
  return values;
}

class InputMaker {
 public:
  explicit InputMaker(std::uint64_t seed) : random_(seed) {}

  std::uint64_t integer(int n_bits) {
    const std::vector<std::uint64_t>& hard = hard_integers_of(n_bits);
    switch (random_() % 4) {
      case 0:
        return random_() >> (64 - n_bits);
      case 1:  // few bits
        return random_() >> (64 - n_bits) >> (random_() % static_cast<unsigned>(n_bits));
      default:
        return reference::cut(hard[random_() % hard.size()], n_bits);
    }
  }

  std::uint64_t floating(const exact::Format& format) {
    const std::vector<std::uint64_t>& hard = hard_floats_of(format);
    const std::uint64_t random = random_() & (format.sign() * 2 - 1);
    const std::uint64_t fraction = (std::uint64_t{1} << format.fraction_bits) - 1;
    switch (random_() % 6) {
      case 0:
        return random;
      case 1:  // close to one, with either sign
        return (random & (format.sign() | fraction)) + format.one() +
               ((random_() % 8) << format.fraction_bits);
      case 2:  // few bits set
        return random & ~(fraction >> (1 + random_() % 8));
      case 3:  // subnormal or nearly so
        return random & (format.sign() | (2 * fraction + 1));
      default:
        return hard[random_() % hard.size()];
    }
  }

  std::uint64_t of_type(Type type) {
    switch (type) {
      case Type::kF16x2:
      case Type::kBf16x2:
      case Type::kU16x2:
      case Type::kS16x2: {
        const Type element = reference::element_of(type);
        return of_type(element) << 16 | of_type(element);
      }
      case Type::kF32x2:
        return of_type(Type::kF32) << 32 | of_type(Type::kF32);
      case Type::kE4m3x2:
      case Type::kE5m2x2:
      case Type::kE2m3x2:
      case Type::kE3m2x2:
      case Type::kUe8m0x2:
        return random_() & 0xffff;
      case Type::kE2m1x2:
        return random_() & 0xff;
      default:
        return kind(type) == TypeKind::kFloat ? floating(exact::format_of(type))
                                              : integer(reference::width(type));
    }
  }

  std::uint64_t bits() { return random_(); }

 private:
  const std::vector<std::uint64_t>& hard_integers_of(int n_bits) {
    const auto [place, is_new] = hard_integers_.try_emplace(n_bits);
    if (is_new) place->second = hard_integers(n_bits);
    return place->second;
  }
  const std::vector<std::uint64_t>& hard_floats_of(const exact::Format& format) {
    const auto [place, is_new] = hard_floats_.try_emplace(format.one());
    if (is_new) place->second = hard_floats(format);
    return place->second;
  }

  std::map<int, std::vector<std::uint64_t>> hard_integers_;
  std::map<std::uint64_t, std::vector<std::uint64_t>> hard_floats_;  // by the format's one
  std::mt19937_64 random_;
};

}  // namespace numpy_plugin::sim
