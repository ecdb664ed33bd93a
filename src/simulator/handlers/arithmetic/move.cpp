// mov in all its forms, selp, activemask, and instructions without effect here.
#include <ctime>

#include "simulator/execute/state/block.hpp"
#include "simulator/handlers/common/elements.hpp"
#include "simulator/handlers/common/families.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

struct Copy {
  template <class T>
  static T apply(T a) {
    return a;
  }
};

void copy_predicate(Warp& warp, const Instruction& instruction) {
  write_mask(warp, instruction.result, source_mask(warp, instruction.a));
}

// The address of a variable in the frame.
template <class T>
void copy_frame_address(Warp& warp, const Instruction& instruction) {
  const T* a = source<T>(warp, instruction.a);
  const T begin = static_cast<T>(warp.frame->local_offset);
  write_lanes<T>(warp, instruction.result,
                 [=](int lane) { return static_cast<T>(a[lane] + begin); });
}

inline const Slot* list_of(const Warp& warp, const Instruction& instruction) {
  return warp.block->launch->program->lists.data() + instruction.list;
}

// One value per lane from several parts, lowest first. T consists of kCount Parts.
template <class T, class Part, int kCount>
void pack(Warp& warp, const Instruction& instruction) {
  struct Parts {
    Part part[kCount];
  };
  const Slot* list = list_of(warp, instruction);
  const Part* sources[kCount];
  for (int index = 0; index < kCount; ++index) sources[index] = source<Part>(warp, list[index]);
  write_lanes<T>(warp, instruction.result, [&](int lane) {
    Parts parts;
    for (int index = 0; index < kCount; ++index) parts.part[index] = sources[index][lane];
    return bit_cast<T>(parts);
  });
}

template <class Part, int kCount>
void unpack(Warp& warp, const Instruction& instruction) {
  const Slot* list = list_of(warp, instruction);
  const Part* a = source<Part>(warp, instruction.a);
  for (int index = 0; index < kCount; ++index) {
    if (list[index] == kNoSlot) continue;
    write_lanes<Part>(warp, list[index], [=](int lane) { return a[lane * kCount + index]; });
  }
}

std::uint64_t read_clock(const Warp& warp, std::uint32_t special) {
  const auto name = static_cast<SpecialRegister>(special);
  if (name == SpecialRegister::kClockHi) return warp.block->clock >> 32;
  if (name == SpecialRegister::kClock || name == SpecialRegister::kClock64) {
    return warp.block->clock;
  }
  std::timespec now;
  std::timespec_get(&now, TIME_UTC);
  const std::uint64_t nanoseconds = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
                                    static_cast<std::uint64_t>(now.tv_nsec);
  return name == SpecialRegister::kGlobaltimerHi ? nanoseconds >> 32 : nanoseconds;
}

template <class T>
void copy_clock(Warp& warp, const Instruction& instruction) {
  const T value = static_cast<T>(read_clock(warp, instruction.target));
  write_lanes<T>(warp, instruction.result, [=](int) { return value; });
}

void copy_active_mask(Warp& warp, const Instruction& instruction) {
  const LaneMask active = warp.active;
  write_lanes<std::uint32_t>(warp, instruction.result, [=](int) { return active; });
}

template <class T>
void select(Warp& warp, const Instruction& instruction) {
  const T* a = source<T>(warp, instruction.a);
  const T* b = source<T>(warp, instruction.b);
  const LaneMask chosen = source_mask(warp, instruction.c);
  write_lanes<T>(warp, instruction.result, [=](int lane) {
    const T first = a[lane];
    const T second = b[lane];
    return (chosen & kLaneBit.of[lane]) != 0 ? first : second;
  });
}

void do_nothing(Warp&, const Instruction&) {}

struct PartsRow {
  std::uint32_t n_bytes;
  int n_parts;
  Handler pack;
  Handler unpack;
};
constexpr PartsRow kParts[] = {
    {2, 2, pack<std::uint16_t, std::uint8_t, 2>, unpack<std::uint8_t, 2>},
    {4, 4, pack<std::uint32_t, std::uint8_t, 4>, unpack<std::uint8_t, 4>},
    {4, 2, pack<std::uint32_t, std::uint16_t, 2>, unpack<std::uint16_t, 2>},
    {8, 2, pack<std::uint64_t, std::uint32_t, 2>, unpack<std::uint32_t, 2>},
    {8, 4, pack<std::uint64_t, std::uint16_t, 4>, unpack<std::uint16_t, 4>},
    {16, 2, pack<Bits128, std::uint64_t, 2>, unpack<std::uint64_t, 2>},
    {16, 4, pack<Bits128, std::uint32_t, 4>, unpack<std::uint32_t, 4>},
};

Handler find_parts(const Instruction& instruction) {
  for (const PartsRow& row : kParts) {
    if (row.n_bytes == size_bytes(instruction.operation.type) &&
        row.n_parts == instruction.n_list) {
      return instruction.a == kNoSlot ? row.pack : row.unpack;
    }
  }
  return nullptr;
}

Handler find_mov(const Instruction& instruction) {
  const Type type = instruction.operation.type;
  const bool is_wide = size_bytes(type) == 8;
  if (type == Type::kPred) return copy_predicate;
  if (instruction.n_list > 0) return find_parts(instruction);
  if (instruction.a == kNoSlot) {
    return is_wide ? copy_clock<std::uint64_t> : copy_clock<std::uint32_t>;
  }
  if (instruction.is_in_frame) {
    return is_wide ? copy_frame_address<std::uint64_t> : copy_frame_address<std::uint32_t>;
  }
  if (type == Type::kB128) return apply<Copy, Bits128, Bits128>;
  return choose_by_size<Copy, 1>(type);
}

Handler find_select(Type type) {
  switch (size_bytes(type)) {
    case 2:
      return select<std::uint16_t>;
    case 4:
      return select<std::uint32_t>;
    case 8:
      return select<std::uint64_t>;
    default:
      return nullptr;
  }
}

}  // namespace

Handler find_move(const Instruction& instruction) {
  switch (instruction.operation.opcode) {
    case Opcode::kMov:
      return find_mov(instruction);
    case Opcode::kSelp:
      return find_select(instruction.operation.type);
    case Opcode::kActivemask:
      return copy_active_mask;
    case Opcode::kNanosleep:
    case Opcode::kPmevent:
    case Opcode::kSetmaxnreg:
    case Opcode::kGriddepcontrol:
      return do_nothing;
    default:
      return nullptr;
  }
}

}  // namespace numpy_plugin::sim::NPP_ISA
