// shf, lop3, bfe, bfi, brev, popc, clz, bfind. Bits are counted by arithmetic on the whole
// word, which every instruction set can vectorize.
#include "simulator/handlers/common/elements.hpp"
#include "simulator/handlers/common/families.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

template <class T>
constexpr std::uint32_t kWidth = 8 * sizeof(T);

// Repeats a pattern of 8 bits in every byte.
template <class T>
constexpr T repeat(std::uint8_t byte) {
  return static_cast<T>(static_cast<T>(~T{0}) / 0xff * byte);
}

template <bool kWraps>
inline std::uint32_t funnel_amount(std::uint32_t c) {
  if constexpr (kWraps) return c & 31;
  return c < 32 ? c : 32;
}

template <bool kWraps>
struct FunnelLeft {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const std::uint64_t both = static_cast<std::uint64_t>(b) << 32 | a;
    return static_cast<std::uint32_t>((both << funnel_amount<kWraps>(c)) >> 32);
  }
};

template <bool kWraps>
struct FunnelRight {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const std::uint64_t both = static_cast<std::uint64_t>(b) << 32 | a;
    return static_cast<std::uint32_t>(both >> funnel_amount<kWraps>(c));
  }
};

// Bit 4x + 2y + z of the table is the result for operand bits x, y and z.
struct LogicTable {
  explicit LogicTable(std::uint32_t table) {
    for (unsigned index = 0; index < 8; ++index) terms[index] = (table >> index & 1) != 0 ? ~0u : 0;
  }
  std::uint32_t look_up(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    std::uint32_t result = 0;
    for (unsigned index = 0; index < 8; ++index) {
      const std::uint32_t x = (index & 4) != 0 ? a : ~a;
      const std::uint32_t y = (index & 2) != 0 ? b : ~b;
      const std::uint32_t z = (index & 1) != 0 ? c : ~c;
      result |= terms[index] & x & y & z;
    }
    return result;
  }
  std::uint32_t terms[8];
};

void lookup_logic(Warp& warp, const Instruction& instruction) {
  if (instruction.result == kNoSlot) return;
  const auto* a = source<std::uint32_t>(warp, instruction.a);
  const auto* b = source<std::uint32_t>(warp, instruction.b);
  const auto* c = source<std::uint32_t>(warp, instruction.c);
  const LogicTable table(*source<std::uint32_t>(warp, instruction.d));
  write_lanes<std::uint32_t>(warp, instruction.result,
                             [=](int lane) { return table.look_up(a[lane], b[lane], c[lane]); });
}

// lop3 d|p: p says whether the result has a bit, combined with a further predicate.
void lookup_logic_and_test(Warp& warp, const Instruction& instruction) {
  const auto* a = source<std::uint32_t>(warp, instruction.a);
  const auto* b = source<std::uint32_t>(warp, instruction.b);
  const auto* c = source<std::uint32_t>(warp, instruction.c);
  const LogicTable table(*source<std::uint32_t>(warp, instruction.d));
  const LaneMask other = source_mask(warp, instruction.e);
  const LaneMask found =
      collect_lanes([&](int lane) { return table.look_up(a[lane], b[lane], c[lane]) != 0; });
  lookup_logic(warp, instruction);
  const bool is_and = instruction.operation.mode == Mode::kAnd;
  write_mask(warp, instruction.second_result, is_and ? found & other : found | other);
}

template <class T>
inline T low_mask(std::uint32_t length) {
  return length < kWidth<T> ? static_cast<T>((T{1} << length) - 1) : static_cast<T>(~T{0});
}

struct Extract {
  template <class T>
  static T apply(T a, std::uint32_t position, std::uint32_t length) {
    position &= 0xff;
    length &= 0xff;
    if constexpr (std::is_unsigned_v<T>) {
      const T shifted = position < kWidth<T> ? static_cast<T>(a >> position) : T{0};
      return static_cast<T>(shifted & low_mask<T>(length));
    }
    // Bits beyond the word or the field are filled with the sign, that of the last bit extracted.
    const std::uint32_t end = position + length < kWidth<T> ? position + length : kWidth<T>;
    const std::uint32_t first = position < kWidth<T> - 1 ? position : kWidth<T> - 1;
    const std::uint32_t left = kWidth<T> - (end > first ? end : first + 1);
    const T result = static_cast<T>(static_cast<T>(a << left) >> (left + first));
    return length == 0 ? T{0} : result;
  }
};

struct Insert {
  template <class T>
  static T apply(T a, T b, std::uint32_t position, std::uint32_t length) {
    position &= 0xff;
    length &= 0xff;
    const bool is_inside = position < kWidth<T>;
    const std::uint32_t shift = is_inside ? position : 0;
    const T mask = is_inside ? static_cast<T>(low_mask<T>(length) << shift) : T{0};
    return static_cast<T>((b & ~mask) | (static_cast<T>(a << shift) & mask));
  }
};

struct Reverse {
  template <class T>
  static T apply(T a) {
    a = static_cast<T>((a >> 1 & repeat<T>(0x55)) | (a & repeat<T>(0x55)) << 1);
    a = static_cast<T>((a >> 2 & repeat<T>(0x33)) | (a & repeat<T>(0x33)) << 2);
    a = static_cast<T>((a >> 4 & repeat<T>(0x0f)) | (a & repeat<T>(0x0f)) << 4);
    if constexpr (sizeof(T) == 4) return __builtin_bswap32(a);
    return static_cast<T>(__builtin_bswap64(a));
  }
};

struct CountOnes {
  template <class T>
  static std::uint32_t apply(T a) {
    a = static_cast<T>(a - (a >> 1 & repeat<T>(0x55)));
    a = static_cast<T>((a & repeat<T>(0x33)) + (a >> 2 & repeat<T>(0x33)));
    a = static_cast<T>((a + (a >> 4)) & repeat<T>(0x0f));
    return static_cast<std::uint32_t>(static_cast<T>(a * repeat<T>(1)) >> (kWidth<T> - 8));
  }
};

struct CountLeadingZeros {
  template <class T>
  static std::uint32_t apply(T a) {
    for (std::uint32_t shift = 1; shift < kWidth<T>; shift *= 2) a = static_cast<T>(a | a >> shift);
    return CountOnes::apply(static_cast<T>(~a));
  }
};

// The highest bit that differs from the sign: its index or, as a shift, its distance from the top.
template <bool kIsShift>
struct FindHighest {
  template <class T>
  static std::uint32_t apply(T a) {
    using Word = std::make_unsigned_t<T>;
    const Word bits = static_cast<Word>(a < 0 ? ~a : a);
    const std::uint32_t zeros = CountLeadingZeros::apply(bits);
    const std::uint32_t place = kIsShift ? zeros : kWidth<T> - 1 - zeros;
    return bits == 0 ? ~0u : place;
  }
};

template <class Function>
Handler find_count(Type type) {
  switch (size_bytes(type)) {
    case 4:
      return apply<Function, std::uint32_t, std::uint32_t>;
    case 8:
      return apply<Function, std::uint32_t, std::uint64_t>;
    default:
      return nullptr;
  }
}

template <class Function>
Handler find_highest(Type type) {
  switch (type) {
    case Type::kU32:
      return apply<Function, std::uint32_t, std::uint32_t>;
    case Type::kS32:
      return apply<Function, std::uint32_t, std::int32_t>;
    case Type::kU64:
      return apply<Function, std::uint32_t, std::uint64_t>;
    case Type::kS64:
      return apply<Function, std::uint32_t, std::int64_t>;
    default:
      return nullptr;
  }
}

template <class T>
constexpr Handler kExtract = apply<Extract, T, T, std::uint32_t, std::uint32_t>;
template <class T>
constexpr Handler kInsert = apply<Insert, T, T, T, std::uint32_t, std::uint32_t>;

Handler find_extract(Type type) {
  switch (type) {
    case Type::kU32:
      return kExtract<std::uint32_t>;
    case Type::kS32:
      return kExtract<std::int32_t>;
    case Type::kU64:
      return kExtract<std::uint64_t>;
    case Type::kS64:
      return kExtract<std::int64_t>;
    default:
      return nullptr;
  }
}

Handler find_funnel(Mode mode) {
  switch (mode) {
    case Mode::kLeftClamp:
      return choose<FunnelLeft<false>, 3, Type::kU32>(Type::kU32);
    case Mode::kLeftWrap:
      return choose<FunnelLeft<true>, 3, Type::kU32>(Type::kU32);
    case Mode::kRightClamp:
      return choose<FunnelRight<false>, 3, Type::kU32>(Type::kU32);
    case Mode::kRightWrap:
      return choose<FunnelRight<true>, 3, Type::kU32>(Type::kU32);
    default:
      return nullptr;
  }
}

}  // namespace

Handler find_bit_field(const Operation& operation) {
  const Type type = operation.type;
  switch (operation.opcode) {
    case Opcode::kShf:
      return find_funnel(operation.mode);
    case Opcode::kLop3:
      return operation.mode == Mode::kNone ? lookup_logic : lookup_logic_and_test;
    case Opcode::kBfe:
      return find_extract(type);
    case Opcode::kBfi:
      return size_bytes(type) == 8 ? kInsert<std::uint64_t> : kInsert<std::uint32_t>;
    case Opcode::kBrev:
      return choose<Reverse, 1, Type::kB32, Type::kB64>(type);
    case Opcode::kPopc:
      return find_count<CountOnes>(type);
    case Opcode::kClz:
      return find_count<CountLeadingZeros>(type);
    case Opcode::kBfind:
      return operation.mode == Mode::kShiftAmount ? find_highest<FindHighest<true>>(type)
                                                  : find_highest<FindHighest<false>>(type);
    default:
      return nullptr;
  }
}

}  // namespace numpy_plugin::sim::NPP_ISA
