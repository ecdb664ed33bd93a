// Runs a kernel's block routine over operands of any strides, chunk by chunk through small buffers,
// and finds out which of the floating-point flags it raised are real. Compiled once a file.
#pragma once

#include "numpy_plugin/cpu_flags.hpp"
#include "numpy_plugin/cpu_operands.hpp"

namespace npp {

inline constexpr int kMaxOperands = 64;
inline constexpr intp kMaxChunk = 1024;
// Flags are searched in pieces of this many elements, a multiple of every block.
inline constexpr intp kSearchPiece = 64;

// What the drivers know of a kernel.
struct LoopShape {
  int n_inputs, n_operands;
  int block;           // `run` takes multiples of this many elements
  int chunk;           // elements a buffer holds
  const uint8* sizes;  // of an operand's element, in bytes
  // Contiguous operands, any order.
  void (*run)(char* const* operands, intp n);
  // Any strides, one element after the other, raising exactly the flags of the C++ text; null for a
  // kernel whose flags need no search.
  void (*reference)(char* const* operands, const intp* steps, intp n);
};

// Computes the chunk just computed again, piece by piece: where a flag comes up that is not known
// to be real, the reference says whether it is. Returns the real flags.
NPP_SHARED unsigned search_flags(const LoopShape& shape, char* const* operands, intp n_real,
                                 intp n_padded, unsigned real) {
  const unsigned raised = read_flags();
  char sink[16];
  char* piece[kMaxOperands];
  char* read_only[kMaxOperands];
  intp steps[kMaxOperands];
  for (intp start = 0; start < n_real; start += kSearchPiece) {
    for (int operand = 0; operand < shape.n_operands; ++operand) {
      const bool is_input = operand < shape.n_inputs;
      piece[operand] = operands[operand] + start * shape.sizes[operand];
      read_only[operand] = is_input ? piece[operand] : sink;
      steps[operand] = is_input ? shape.sizes[operand] : 0;
    }
    write_flags(0);
    shape.run(piece, n_padded - start < kSearchPiece ? n_padded - start : kSearchPiece);
    if ((read_flags() & kWatchedFlags & ~real) == 0) continue;
    write_flags(0);
    shape.reference(read_only, steps,
                    n_real - start < kSearchPiece ? n_real - start : kSearchPiece);
    real |= read_flags() & kWatchedFlags;
    if ((raised & kWatchedFlags & ~real) == 0) break;
  }
  write_flags((raised & ~kWatchedFlags) | real);
  return real;
}

// An operand on its way through the chunks.
struct Cursor {
  char* next;
  char* buffer;
  intp step, size;
  intp filled;     // elements of the buffer that hold the scalar
  bool is_direct;  // the block routine may use the operand's own memory
};

NPP_FUNCTION char* gather(Cursor& cursor, intp n, intp n_padded, bool keeps_scalars) {
  if (cursor.is_direct && n == n_padded) return cursor.next;
  const bool is_scalar = cursor.step == 0 && keeps_scalars;
  if (is_scalar && cursor.filled >= n_padded) return cursor.buffer;
  // Padding is copies of a real element: it raises no flags of its own.
  if (is_scalar || n != n_padded) fill_buffer(cursor.buffer, cursor.next, cursor.size, n_padded);
  if (is_scalar) {
    cursor.filled = n_padded;
  } else if (n == n_padded || n > 1) {
    copy_elements(cursor.buffer, cursor.size, cursor.next, cursor.step, cursor.size, n);
  }
  return cursor.buffer;
}

// With `in_order` one element is read, computed and written before the next one is read.
NPP_SHARED void run_chunks(const LoopShape& shape, char* const* operands, const intp* steps, intp n,
                           char* buffer, bool in_order) {
  Cursor cursors[kMaxOperands];
  char* pointers[kMaxOperands];
  for (int operand = 0; operand < shape.n_operands; ++operand) {
    const intp size = shape.sizes[operand];
    bool is_direct = steps[operand] == size && !in_order;
    // A search for flags reads the inputs again: keep what an output is about to replace.
    for (int output = shape.n_inputs; shape.reference && output < shape.n_operands; ++output) {
      is_direct &= operand >= shape.n_inputs || operands[operand] != operands[output];
    }
    cursors[operand] = {operands[operand], buffer, steps[operand], size, 0, is_direct};
    buffer += shape.chunk * size + 64;
  }
  unsigned real = shape.reference ? read_flags() & kWatchedFlags : 0;
  while (n > 0) {
    intp count = in_order ? 1 : n < shape.chunk ? n : shape.chunk;
    if (count >= shape.block) count -= count % shape.block;
    const intp n_padded = count < shape.block ? shape.block : count;
    for (int input = 0; input < shape.n_inputs; ++input) {
      pointers[input] = gather(cursors[input], count, n_padded, !in_order);
    }
    for (int output = shape.n_inputs; output < shape.n_operands; ++output) {
      const Cursor& cursor = cursors[output];
      pointers[output] = cursor.is_direct && count == n_padded ? cursor.next : cursor.buffer;
    }
    shape.run(pointers, n_padded);
    if (shape.reference && (read_flags() & kWatchedFlags & ~real) != 0) {
      real = search_flags(shape, pointers, count, n_padded, real);
    }
    for (int operand = 0; operand < shape.n_operands; ++operand) {
      Cursor& cursor = cursors[operand];
      if (operand >= shape.n_inputs && pointers[operand] == cursor.buffer) {
        copy_elements(cursor.next, cursor.step, cursor.buffer, cursor.size, cursor.size, count);
      }
      cursor.next += count * cursor.step;
    }
    n -= count;
  }
}

}  // namespace npp
