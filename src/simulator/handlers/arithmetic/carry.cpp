// add.cc, addc, sub.cc, subc, mad.cc, madc.
#include "simulator/handlers/common/families.hpp"

#include "simulator/handlers/common/elements.hpp"
#include "simulator/handlers/common/product.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

template <class T>
inline T read_carry(LaneMask carries, int lane) {
  return (carries & kLaneBit.of[lane]) != 0 ? T{1} : T{0};
}

// Without a flag to read, a subtraction starts with a carry: a + ~b + 1.
inline LaneMask carries_read(const Warp& warp, const Instruction& instruction) {
  if (instruction.d != kNoSlot) return source_mask(warp, instruction.d);
  return instruction.operation.opcode == Opcode::kSub ? kAllLanes : 0;
}

// T is unsigned: first(lane) + second(lane) + carry, and the lanes that overflow. Carries are
// computed before results are written, which may overwrite a source.
template <class T, class First, class Second>
void add_with_carry(Warp& warp, const Instruction& instruction, const First& first,
                    const Second& second) {
  const LaneMask carries = carries_read(warp, instruction);
  // Lanes that overflow by themselves, and those that overflow by the carry.
  const LaneMask full = collect_lanes(
      [&](int lane) { return static_cast<T>(first(lane) + second(lane)) < first(lane); });
  const LaneMask brimming = collect_lanes([&](int lane) {
    return static_cast<T>(first(lane) + second(lane)) == static_cast<T>(~T{0});
  });
  write_lanes<T>(warp, instruction.result, [&](int lane) {
    return static_cast<T>(first(lane) + second(lane) + read_carry<T>(carries, lane));
  });
  write_mask(warp, instruction.second_result, full | (brimming & carries));
}

template <class T>
void add_carry(Warp& warp, const Instruction& instruction) {
  const T* a = source<T>(warp, instruction.a);
  const T* b = source<T>(warp, instruction.b);
  add_with_carry<T>(
      warp, instruction, [=](int lane) { return a[lane]; }, [=](int lane) { return b[lane]; });
}

// T: signed where the upper half is that of a signed product.
template <class Product, class T>
void multiply_add_carry(Warp& warp, const Instruction& instruction) {
  const T* a = source<T>(warp, instruction.a);
  const T* b = source<T>(warp, instruction.b);
  const Bits<T>* c = source<Bits<T>>(warp, instruction.c);
  add_with_carry<Bits<T>>(
      warp, instruction,
      [=](int lane) { return static_cast<Bits<T>>(Product::apply(a[lane], b[lane])); },
      [=](int lane) { return c[lane]; });
}

// The carry of a + ~b + 1, as on GPUs: one where there is no borrow. (PTX calls the flag a borrow,
// but code that mixes subtractions and additions, as NVRTC's divisions of 128 bits do, needs this
// one.)
template <class T>
void subtract_carry(Warp& warp, const Instruction& instruction) {
  const T* a = source<T>(warp, instruction.a);
  const T* b = source<T>(warp, instruction.b);
  add_with_carry<T>(
      warp, instruction, [=](int lane) { return a[lane]; },
      [=](int lane) { return static_cast<T>(~b[lane]); });
}

Handler find_product_with_carry(const Operation& operation) {
  const bool is_high = operation.part == Part::kHigh;
  switch (operation.type) {
    case Type::kU32:
      return is_high ? multiply_add_carry<HighProduct, std::uint32_t>
                     : multiply_add_carry<LowProduct, std::uint32_t>;
    case Type::kS32:
      return is_high ? multiply_add_carry<HighProduct, std::int32_t>
                     : multiply_add_carry<LowProduct, std::uint32_t>;
    case Type::kU64:
      return is_high ? multiply_add_carry<HighProduct, std::uint64_t>
                     : multiply_add_carry<LowProduct, std::uint64_t>;
    case Type::kS64:
      return is_high ? multiply_add_carry<HighProduct, std::int64_t>
                     : multiply_add_carry<LowProduct, std::uint64_t>;
    default:
      return nullptr;
  }
}

}  // namespace

Handler find_with_carry(const Operation& operation) {
  const std::uint32_t n_bytes = size_bytes(operation.type);
  if (n_bytes != 4 && n_bytes != 8) return nullptr;
  switch (operation.opcode) {
    case Opcode::kAdd:
    case Opcode::kAddc:
      return n_bytes == 4 ? add_carry<std::uint32_t> : add_carry<std::uint64_t>;
    case Opcode::kSub:
    case Opcode::kSubc:
      return n_bytes == 4 ? subtract_carry<std::uint32_t> : subtract_carry<std::uint64_t>;
    case Opcode::kMad:
    case Opcode::kMadc:
      return find_product_with_carry(operation);
    default:
      return nullptr;
  }
}

}  // namespace numpy_plugin::sim::NPP_ISA
