// wmma.load and wmma.store: matrices between memory and fragments.
#include "simulator/handlers/common/families.hpp"
#include "simulator/handlers/matrix/fragments.hpp"
#include "simulator/handlers/memory/memory_access.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

// A fragment's matrix in memory. Lanes give the same address and stride; each uses its own.
struct MatrixInMemory {
  Fragment fragment;
  Addresses begin;
  bool by_columns = false;
  const std::uint32_t* strides = nullptr;  // elements from row to row, or column to column
  std::uint64_t dense_stride = 0;          // where none is written

  std::uint64_t address(int lane, const MatrixPlace& place) const {
    const int outer = by_columns ? place.column : place.row;
    const int inner = by_columns ? place.row : place.column;
    const std::uint64_t stride = strides != nullptr ? strides[lane] : dense_stride;
    const std::uint64_t offset_bits =
        static_cast<std::uint64_t>(outer) * stride * fragment.memory_bits +
        static_cast<std::uint64_t>(inner) * fragment.element_bits;
    return begin.of[lane] + offset_bits / 8;
  }

  // Whether the elements of a register are next to each other.
  bool has_whole_registers() const {
    return fragment.element_bits == 8 * fragment.register_bytes ||
           by_columns == (fragment.role == MatrixRole::kB);
  }
};

MatrixInMemory matrix_in_memory(const Warp& warp, const Instruction& instruction, Slot stride) {
  MatrixInMemory matrix;
  matrix.fragment = fragment_of(instruction.operation, 0);
  matrix.by_columns = instruction.operation.by_columns;
  read_addresses(warp, instruction, &matrix.begin);
  if (stride != kNoSlot) matrix.strides = source<std::uint32_t>(warp, stride);
  const std::uint32_t inner =
      matrix.by_columns ? matrix.fragment.n_rows : matrix.fragment.n_columns;
  matrix.dense_stride = inner * matrix.fragment.element_bits / matrix.fragment.memory_bits;
  return matrix;
}

struct Pointers {
  std::byte* of[kWarpSize];
};

// Checked memory of an element, or of a register from its first element on.
Pointers find_elements(Warp& warp, const Instruction& instruction, const MatrixInMemory& matrix,
                       const FragmentRegister& part, int index, std::uint32_t n_bytes,
                       const std::byte* written) {
  Addresses addresses;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    addresses.of[lane] = matrix.address(lane, part.place(lane, index));
  }
  LaneAccess access = lane_access(warp, instruction, addresses, n_bytes);
  access.reads = written == nullptr;
  access.writes = written != nullptr;
  access.data = written;
  Pointers pointers;
  resolve(warp, instruction, access, pointers.of);
  return pointers;
}

template <class Word>
void load_register(Warp& warp, const Instruction& instruction, const MatrixInMemory& matrix,
                   int number, Word* words) {
  const FragmentRegister part(matrix.fragment, number);
  const bool is_whole = matrix.has_whole_registers();
  const std::uint32_t n_bytes =
      is_whole ? static_cast<std::uint32_t>(sizeof(Word)) : matrix.fragment.element_bits / 8;
  for (int lane = 0; lane < kWarpSize; ++lane) words[lane] = 0;
  for (int index = 0; index < (is_whole ? 1 : part.per_register()); ++index) {
    const Pointers pointers =
        find_elements(warp, instruction, matrix, part, index, n_bytes, nullptr);
    for (int lane = 0; lane < kWarpSize; ++lane) {
      Word element = 0;
      __builtin_memcpy(&element, pointers.of[lane], n_bytes);
      words[lane] |= element << (8 * static_cast<int>(n_bytes) * index);
    }
  }
}

template <class Word>
void load_matrix(Warp& warp, const Instruction& instruction) {
  const MatrixInMemory matrix = matrix_in_memory(warp, instruction, instruction.b);
  const Slot* slots = fragment_slots(warp, instruction);
  const int n_distinct = static_cast<int>(matrix.fragment.n_distinct);
  for (int number = 0; number < n_distinct; ++number) {
    alignas(64) Word words[kWarpSize];
    load_register(warp, instruction, matrix, number, words);
    for (int copy = number; copy < static_cast<int>(matrix.fragment.n_registers);
         copy += n_distinct) {
      if (slots[copy] == kNoSlot) continue;
      __builtin_memcpy(destination<Word>(warp, slots[copy]), words, sizeof words);
    }
  }
}

template <class Word>
void store_matrix(Warp& warp, const Instruction& instruction) {
  const MatrixInMemory matrix = matrix_in_memory(warp, instruction, instruction.c);
  const Slot* slots = fragment_slots(warp, instruction);
  const bool is_whole = matrix.has_whole_registers();
  const int n_bytes = is_whole ? static_cast<int>(sizeof(Word))
                               : static_cast<int>(matrix.fragment.element_bits / 8);
  for (int number = 0; number < static_cast<int>(matrix.fragment.n_distinct); ++number) {
    const FragmentRegister part(matrix.fragment, number);
    const Word* words = source<Word>(warp, slots[number]);
    for (int index = 0; index < (is_whole ? 1 : part.per_register()); ++index) {
      alignas(64) std::byte data[kWarpSize * sizeof(Word)];
      for (int lane = 0; lane < kWarpSize; ++lane) {
        const Word element = words[lane] >> (8 * n_bytes * index);
        __builtin_memcpy(data + lane * n_bytes, &element, static_cast<std::size_t>(n_bytes));
      }
      const Pointers pointers = find_elements(warp, instruction, matrix, part, index,
                                              static_cast<std::uint32_t>(n_bytes), data);
      for (int lane = 0; lane < kWarpSize; ++lane) {
        __builtin_memcpy(pointers.of[lane], data + lane * n_bytes,
                         static_cast<std::size_t>(n_bytes));
      }
    }
  }
}

}  // namespace

Handler find_matrix_memory(const Instruction& instruction) {
  const bool is_double = instruction.operation.type == Type::kF64;
  switch (instruction.operation.mode) {
    case Mode::kLoadA:
    case Mode::kLoadB:
    case Mode::kLoadC:
      return is_double ? load_matrix<std::uint64_t> : load_matrix<std::uint32_t>;
    case Mode::kStoreD:
      return is_double ? store_matrix<std::uint64_t> : store_matrix<std::uint32_t>;
    default:
      return nullptr;
  }
}

}  // namespace numpy_plugin::sim::NPP_ISA
