// The kernel writes to short buffers, which are then streamed. They are so short that the processor
// computes the next one while it writes the last: of triads of 2e7 float64 on a Zen 4, 27 GB/s with
// ordinary stores become 37, as with stores streamed by the kernel itself; 25 with buffers of 4 kB.
#include "numpy_plugin/run/cpu/elementwise_driver.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace numpy_plugin::run {
namespace {

constexpr long kLine = 64;
constexpr long kBufferBytes = 512;
// Shorter calls have too few whole buffers.
constexpr long kLeastElements = 8 * kBufferBytes;

#if defined(__x86_64__)
constexpr bool kCanStream = true;

// Both addresses and the number of bytes are multiples of kLine.
using StreamLines = void (*)(char* to, const char* from, long n_bytes);

// The processor may send the parts of a line one by one while other cores use the memory: the wider
// the stores the better.
__attribute__((target("avx512f"))) void stream_by_64(char* to, const char* from, long n_bytes) {
  for (long i = 0; i < n_bytes; i += sizeof(__m512i)) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i), _mm512_load_si512(from + i));
  }
}

__attribute__((target("avx"))) void stream_by_32(char* to, const char* from, long n_bytes) {
  for (long i = 0; i < n_bytes; i += sizeof(__m256i)) {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to + i),
                        _mm256_load_si256(reinterpret_cast<const __m256i*>(from + i)));
  }
}

void stream_by_16(char* to, const char* from, long n_bytes) {
  for (long i = 0; i < n_bytes; i += sizeof(__m128i)) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm_load_si128(reinterpret_cast<const __m128i*>(from + i)));
  }
}

StreamLines widest_stream() {
  if (__builtin_cpu_supports("avx512f")) return stream_by_64;
  return __builtin_cpu_supports("avx") ? stream_by_32 : stream_by_16;
}

const StreamLines stream_lines = widest_stream();

// Makes the streamed bytes visible to other threads before anything that this one writes next.
void end_streams() { _mm_sfence(); }
#else
constexpr bool kCanStream = false;
void stream_lines(char* to, const char* from, long n_bytes) { std::memcpy(to, from, n_bytes); }
void end_streams() {}
#endif

thread_local bool is_in_large_call = false;

long address_of(const char* pointer) {
  return static_cast<long>(reinterpret_cast<std::uintptr_t>(pointer));
}

// Lines that are read anyway cost nothing to write.
bool is_read(const npp::LoopShape& shape, char* const* operands, int output) {
  return std::find(operands, operands + shape.n_inputs, operands[output]) !=
         operands + shape.n_inputs;
}

long widest_result(const npp::LoopShape& shape) {
  return *std::max_element(shape.sizes + shape.n_inputs, shape.sizes + shape.n_operands);
}

// Contiguous operands of a kernel whose results are in buffers.
class BufferedResults {
 public:
  BufferedResults(const npp::LoopShape& shape, char* const* operands)
      : shape_(shape), n_each_(kBufferBytes / widest_result(shape)) {
    std::copy(operands, operands + shape.n_operands, operands_);
    for (int i = shape.n_inputs; i < shape.n_operands; ++i) {
      targets_[i] = operands[i];
      operands_[i] = memory_[i];
    }
  }

  long n_each() const { return n_each_; }

  void run_next() {
    shape_.run(operands_, n_each_);
    for (int i = 0; i < shape_.n_inputs; ++i) operands_[i] += n_each_ * shape_.sizes[i];
    for (int i = shape_.n_inputs; i < shape_.n_operands; ++i) {
      const long n_bytes = n_each_ * shape_.sizes[i];
      stream_lines(targets_[i], memory_[i], n_bytes);
      targets_[i] += n_bytes;
    }
  }

 private:
  const npp::LoopShape& shape_;
  const long n_each_;
  char* operands_[npp::kMaxOperands];
  char* targets_[npp::kMaxOperands];
  alignas(kLine) char memory_[npp::kMaxOperands][kBufferBytes];
};

void run_ordinary(const npp::LoopShape& shape, char* const* operands, long begin, long n) {
  char* moved[npp::kMaxOperands];
  for (int i = 0; i < shape.n_operands; ++i) moved[i] = operands[i] + begin * shape.sizes[i];
  shape.run(moved, n);
}

long n_before_line(const npp::LoopShape& shape, char* const* operands) {
  const long n_bytes = -address_of(operands[shape.n_inputs]) & (kLine - 1);
  return n_bytes / shape.sizes[shape.n_inputs];
}

// Whether all results begin a line after as many elements.
bool are_aligned(const npp::LoopShape& shape, char* const* operands, long n_before) {
  for (int i = shape.n_inputs; i < shape.n_operands; ++i) {
    const bool fills_lines = widest_result(shape) <= shape.sizes[i] * (kBufferBytes / kLine);
    const long first = address_of(operands[i]) + n_before * shape.sizes[i];
    if (!fills_lines || first % kLine != 0) return false;
  }
  return true;
}

}  // namespace

void LargeCallScope::set(bool is_large) { is_in_large_call = is_large; }

bool streams_results(const npp::LoopShape& shape, char* const* operands, long n) {
  if (!kCanStream || n < kLeastElements || !is_in_large_call) return false;
  for (int output = shape.n_inputs; output < shape.n_operands; ++output) {
    if (is_read(shape, operands, output)) return false;
  }
  return are_aligned(shape, operands, n_before_line(shape, operands));
}

void run_streamed(const npp::LoopShape& shape, char* const* operands, long n) {
  const long n_before = n_before_line(shape, operands);
  run_ordinary(shape, operands, 0, n_before);
  char* aligned[npp::kMaxOperands];
  for (int i = 0; i < shape.n_operands; ++i) aligned[i] = operands[i] + n_before * shape.sizes[i];
  BufferedResults results(shape, aligned);
  const long n_streamed = (n - n_before) / results.n_each() * results.n_each();
  for (long i = 0; i < n_streamed; i += results.n_each()) results.run_next();
  end_streams();
  run_ordinary(shape, operands, n_before + n_streamed, n - n_before - n_streamed);
}

}  // namespace numpy_plugin::run
