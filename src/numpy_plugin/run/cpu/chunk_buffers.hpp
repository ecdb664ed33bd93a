// Buffers through which a kernel's block routine accesses operands that are strided, too short for
// a block, or about to be overwritten.
#pragma once

#include <npp/cpu/driver.hpp>

namespace numpy_plugin::run {

// Size of all operands' buffers together; half of a typical L1 cache, except with very many
// operands.
inline constexpr long kBufferBytes = 32768;
inline constexpr long kMaxChunk = 1024;
inline constexpr long kMinChunk = npp::kLargestBlock;
inline constexpr long kMaxElementSize = 16;

// Walks the operands of one call chunk by chunk.
class ChunkBuffers {
 public:
  ChunkBuffers(const npp::LoopShape& shape, char* const* operands, const long* steps);

  long chunk() const { return chunk_; }
  // Contiguous operands with the next n elements, padded to n_padded with copies of the chunk's
  // first element: a real element, which raises no flags of its own.
  char* const* load(long n, long n_padded);
  // Writes results to the outputs and advances.
  void store(long n, long n_padded);

 private:
  struct Cursor {
    char* next;
    char* buffer;
    long step, size;
    long filled;     // elements of the buffer that hold the scalar of a broadcast input
    bool is_direct;  // the operand's own memory is used
  };
  void gather(Cursor& cursor, long n, long n_padded);
  bool is_direct(int operand, char* const* operands, long step) const;

  const npp::LoopShape& shape_;
  long chunk_ = kMaxChunk;
  Cursor cursors_[npp::kMaxOperands];
  char* pointers_[npp::kMaxOperands];
  // Each buffer starts 64 bytes further into its page than the one before it.
  alignas(64) char memory_[npp::kMaxOperands * (kMinChunk * kMaxElementSize + 64)];
  static_assert(sizeof(memory_) >= kBufferBytes + npp::kMaxOperands * 64);
};

}  // namespace numpy_plugin::run
