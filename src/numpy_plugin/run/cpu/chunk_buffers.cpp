// One cursor per operand; the kernel reads the operand's memory directly where it can, else the
// buffer.
#include "numpy_plugin/run/cpu/chunk_buffers.hpp"

#include "numpy_plugin/run/cpu/elementwise_driver.hpp"

namespace numpy_plugin::run {

ChunkBuffers::ChunkBuffers(const npp::LoopShape& shape, char* const* operands, const long* steps)
    : shape_(shape) {
  long n_bytes = 0;
  for (int operand = 0; operand < shape.n_operands; ++operand) n_bytes += shape.sizes[operand];
  while (chunk_ > kMinChunk && chunk_ * n_bytes > kBufferBytes) chunk_ /= 2;
  char* buffer = memory_;
  for (int operand = 0; operand < shape.n_operands; ++operand) {
    const long size = shape.sizes[operand];
    const bool direct = is_direct(operand, operands, steps[operand]);
    cursors_[operand] = {operands[operand], buffer, steps[operand], size, 0, direct};
    buffer += chunk_ * size + 64;
  }
}

bool ChunkBuffers::is_direct(int operand, char* const* operands, long step) const {
  if (step != shape_.sizes[operand]) return false;
  if (operand >= shape_.n_inputs || !shape_.searches_flags) return true;
  // The search for flags reads the inputs again: save those that an output is about to overwrite.
  for (int output = shape_.n_inputs; output < shape_.n_operands; ++output) {
    if (operands[output] == operands[operand]) return false;
  }
  return true;
}

void ChunkBuffers::gather(Cursor& cursor, long n, long n_padded) {
  const bool is_scalar = cursor.step == 0;
  if (is_scalar && cursor.filled >= n_padded) return;
  if (is_scalar || n != n_padded) fill_buffer(cursor.buffer, cursor.next, cursor.size, n_padded);
  if (is_scalar) {
    cursor.filled = n_padded;
  } else {
    copy_elements(cursor.buffer, cursor.size, cursor.next, cursor.step, cursor.size, n);
  }
}

char* const* ChunkBuffers::load(long n, long n_padded) {
  for (int operand = 0; operand < shape_.n_operands; ++operand) {
    Cursor& cursor = cursors_[operand];
    const bool direct = cursor.is_direct && n == n_padded;
    pointers_[operand] = direct ? cursor.next : cursor.buffer;
    if (!direct && operand < shape_.n_inputs) gather(cursor, n, n_padded);
  }
  return pointers_;
}

void ChunkBuffers::store(long n, long n_padded) {
  for (int operand = 0; operand < shape_.n_operands; ++operand) {
    Cursor& cursor = cursors_[operand];
    const bool direct = cursor.is_direct && n == n_padded;
    if (!direct && operand >= shape_.n_inputs) {
      copy_elements(cursor.next, cursor.step, cursor.buffer, cursor.size, cursor.size, n);
    }
    cursor.next += n * cursor.step;
  }
}

}  // namespace numpy_plugin::run
