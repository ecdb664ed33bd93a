// cvt.pack: two integers, each clamped to a few bits, side by side; smaller ones go below the bits
// of a third operand, which are shifted up.
#include "simulator/handlers/common/elements.hpp"
#include "simulator/handlers/common/families.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

template <int kWidth, bool kIsSigned>
struct Pack {
  static std::uint32_t apply(std::int32_t upper, std::int32_t lower) {
    return clamped(upper) << kWidth | clamped(lower);
  }
  static std::uint32_t apply(std::int32_t upper, std::int32_t lower, std::uint32_t above) {
    return above << (2 * kWidth) | apply(upper, lower);
  }

 private:
  static std::uint32_t clamped(std::int32_t value) {
    constexpr std::int32_t kHighest = (1 << (kIsSigned ? kWidth - 1 : kWidth)) - 1;
    constexpr std::int32_t kLowest = kIsSigned ? -kHighest - 1 : 0;
    const std::int32_t above = value > kLowest ? value : kLowest;
    const std::int32_t inside = above < kHighest ? above : kHighest;
    return static_cast<std::uint32_t>(inside) & ((1u << kWidth) - 1);
  }
};

template <int kWidth, bool kIsSigned>
constexpr Handler kPack =
    apply<Pack<kWidth, kIsSigned>, std::uint32_t, std::int32_t, std::int32_t, std::uint32_t>;

}  // namespace

Handler find_pack(Mode mode) {
  using Word = std::uint32_t;
  switch (mode) {
    case Mode::kPackU2:
      return kPack<2, false>;
    case Mode::kPackS2:
      return kPack<2, true>;
    case Mode::kPackU4:
      return kPack<4, false>;
    case Mode::kPackS4:
      return kPack<4, true>;
    case Mode::kPackU8:
      return kPack<8, false>;
    case Mode::kPackS8:
      return kPack<8, true>;
    case Mode::kPackU16:
      return apply<Pack<16, false>, Word, std::int32_t, std::int32_t>;
    case Mode::kPackS16:
      return apply<Pack<16, true>, Word, std::int32_t, std::int32_t>;
    default:
      return nullptr;
  }
}

}  // namespace numpy_plugin::sim::NPP_ISA
