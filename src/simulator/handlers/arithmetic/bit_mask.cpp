// bmsk, szext, fns, cnot: results that follow from places of bits.
#include "simulator/handlers/common/elements.hpp"
#include "simulator/handlers/common/families.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

// `width` ones above `position` zeros. .wrap takes both modulo 32; .clamp bounds them.
template <bool kWraps>
struct Mask {
  static std::uint32_t apply(std::uint32_t position, std::uint32_t width) {
    const std::uint32_t first = position & 31;
    const std::uint32_t end = first + (width & 31);
    const std::uint32_t from = ~0u << first;
    const bool reaches_top = end >= 32 || (!kWraps && width >= 32);
    const std::uint32_t mask = reaches_top ? from : from & ~(~0u << (end & 31));
    return !kWraps && position >= 32 ? 0 : mask;
  }
};

// The lowest `width` bits, extended by their sign or by zeros.
template <bool kWraps>
struct Extend {
  template <class T>
  static T apply(T a, std::uint32_t width) {
    const std::uint32_t kept = width & 31;
    const std::uint32_t shift = kept == 0 ? 0 : 32 - kept;
    const T extended = static_cast<T>(static_cast<T>(static_cast<Bits<T>>(a) << shift) >> shift);
    const bool is_whole = !kWraps && width >= 32;
    const T part = kept == 0 ? T{0} : extended;
    return is_whole ? a : part;
  }
};

// The place of the n-th one at or above `base` for n > 0, at or below it for n < 0; all ones where
// there is none. For n = 0: base, if its bit is one.
struct FindNthSet {
  static std::uint32_t apply(std::uint32_t mask, std::uint32_t base, std::int32_t n) {
    if (n == 0) return base < 32 && (mask >> base & 1) != 0 ? base : ~0u;
    std::uint32_t missing = static_cast<std::uint32_t>(n < 0 ? 0 - n : n);
    for (std::uint32_t place = base; place < 32; n < 0 ? --place : ++place) {
      if ((mask >> place & 1) != 0 && --missing == 0) return place;
    }
    return ~0u;
  }
};

struct IsZero {
  template <class T>
  static T apply(T a) {
    return static_cast<T>(a == 0 ? 1 : 0);
  }
};

template <bool kWraps>
Handler find_extend(Type type) {
  if (type == Type::kS32) {
    return apply<Extend<kWraps>, std::int32_t, std::int32_t, std::uint32_t>;
  }
  return apply<Extend<kWraps>, std::uint32_t, std::uint32_t, std::uint32_t>;
}

}  // namespace

Handler find_bit_mask(const Operation& operation) {
  using Word = std::uint32_t;
  const bool wraps = operation.mode == Mode::kWrap;
  switch (operation.opcode) {
    case Opcode::kBmsk:
      return wraps ? apply<Mask<true>, Word, Word, Word> : apply<Mask<false>, Word, Word, Word>;
    case Opcode::kSzext:
      return wraps ? find_extend<true>(operation.type) : find_extend<false>(operation.type);
    case Opcode::kFns:
      return apply<FindNthSet, Word, Word, Word, std::int32_t>;
    case Opcode::kCnot:
      return choose_by_size<IsZero, 1>(operation.type);
    default:
      return nullptr;
  }
}

}  // namespace numpy_plugin::sim::NPP_ISA
