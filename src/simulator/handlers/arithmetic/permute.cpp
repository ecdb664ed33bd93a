// prmt: bytes of two words, by a selector or in a fixed pattern.
#include "simulator/handlers/common/elements.hpp"
#include "simulator/handlers/common/families.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

// A nibble of the selector selects a byte of {b, a}; its top bit selects that byte's sign instead.
struct Permute {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
    const std::uint64_t both = static_cast<std::uint64_t>(b) << 32 | a;
    std::uint32_t result = 0;
    for (unsigned index = 0; index < 4; ++index) {
      const std::uint32_t nibble = selector >> (4 * index);
      const std::uint32_t byte = static_cast<std::uint32_t>(both >> (8 * (nibble & 7))) & 0xff;
      const std::uint32_t sign = (byte & 0x80) != 0 ? 0xff : 0;
      result |= ((nibble & 8) != 0 ? sign : byte) << (8 * index);
    }
    return result;
  }
};

// The selectors of a mode, for the last two bits of the third operand.
template <std::uint32_t kOf0, std::uint32_t kOf1, std::uint32_t kOf2, std::uint32_t kOf3>
struct PermuteByPattern {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const std::uint32_t of_even = (c & 2) != 0 ? kOf2 : kOf0;
    const std::uint32_t of_odd = (c & 2) != 0 ? kOf3 : kOf1;
    return Permute::apply(a, b, (c & 1) != 0 ? of_odd : of_even);
  }
};

template <class Function>
constexpr Handler kHandler =
    apply<Function, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;

}  // namespace

Handler find_permute(Mode mode) {
  switch (mode) {
    case Mode::kForward4:
      return kHandler<PermuteByPattern<0x3210, 0x4321, 0x5432, 0x6543>>;
    case Mode::kBackward4:
      return kHandler<PermuteByPattern<0x5670, 0x6701, 0x7012, 0x0123>>;
    case Mode::kReplicate8:
      return kHandler<PermuteByPattern<0x0000, 0x1111, 0x2222, 0x3333>>;
    case Mode::kEdgeLeft:
      return kHandler<PermuteByPattern<0x3210, 0x3211, 0x3222, 0x3333>>;
    case Mode::kEdgeRight:
      return kHandler<PermuteByPattern<0x0000, 0x1110, 0x2210, 0x3210>>;
    case Mode::kReplicate16:
      return kHandler<PermuteByPattern<0x1010, 0x3232, 0x1010, 0x3232>>;
    default:
      return kHandler<Permute>;
  }
}

}  // namespace numpy_plugin::sim::NPP_ISA
