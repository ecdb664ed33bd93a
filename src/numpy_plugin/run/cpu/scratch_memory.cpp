#include "numpy_plugin/run/cpu/elementwise_driver.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "numpy_plugin/kernel/scratch.hpp"

namespace numpy_plugin::run {
namespace {

constexpr std::int64_t kLeastPiece = std::int64_t{1} << 16;

std::atomic<std::int64_t> n_bytes_now = 0;
std::atomic<std::int64_t> most_n_bytes = 0;

// A part of a buffer. Arrays have addresses, so a buffer grows by further pieces.
class ScratchPiece {
 public:
  // Empty where there is no memory for it.
  explicit ScratchPiece(std::int64_t n_bytes)
      : data_(static_cast<char*>(
                  std::aligned_alloc(npp::kScratchAlignment, static_cast<std::size_t>(n_bytes))),
              &std::free),
        n_bytes_(data_ ? n_bytes : 0) {
    n_bytes_now += n_bytes_;
  }
  ScratchPiece(ScratchPiece&& other) noexcept
      : data_(std::move(other.data_)), n_bytes_(std::exchange(other.n_bytes_, 0)) {}
  ScratchPiece& operator=(ScratchPiece&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(n_bytes_, other.n_bytes_);
    return *this;
  }
  ~ScratchPiece() { n_bytes_now -= n_bytes_; }

  std::int64_t n_bytes() const { return n_bytes_; }
  char* begin() const { return data_.get(); }
  char* end() const { return data_.get() + n_bytes_; }

 private:
  std::unique_ptr<char, decltype(&std::free)> data_;
  std::int64_t n_bytes_;
};

using Pieces = std::vector<ScratchPiece>;

// Memory that the thread keeps between loops: at most one piece. Null while a loop uses it.
std::unique_ptr<Pieces>& kept_pieces() {
  thread_local std::unique_ptr<Pieces> kept;
  return kept;
}

std::int64_t total(const Pieces& pieces) {
  std::int64_t n_bytes = 0;
  for (const ScratchPiece& piece : pieces) n_bytes += piece.n_bytes();
  return n_bytes;
}

void use(npp::ScratchMemory* memory, const ScratchPiece& piece) {
  memory->top = piece.begin();
  memory->end = piece.end();
}

void note_most(std::int64_t n_bytes) {
  std::int64_t most = most_n_bytes;
  while (n_bytes > most && !most_n_bytes.compare_exchange_weak(most, n_bytes)) {
  }
}

}  // namespace

// A loop inside of another one, in a line of `print`, finds nothing kept.
void open_scratch(npp::ScratchMemory* memory) {
  std::unique_ptr<Pieces> pieces = std::move(kept_pieces());
  if (pieces == nullptr) pieces = std::make_unique<Pieces>();
  if (!pieces->empty()) use(memory, pieces->front());
  memory->owner = pieces.release();
}

bool extend_scratch(npp::ScratchMemory* memory, long n_bytes) {
  Pieces& pieces = *static_cast<Pieces*>(memory->owner);
  const auto current =
      std::find_if(pieces.begin(), pieces.end(),
                   [memory](const ScratchPiece& piece) { return piece.end() == memory->end; });
  const auto next = current == pieces.end() ? pieces.begin() : current + 1;
  if (next != pieces.end() && next->n_bytes() > n_bytes) {
    use(memory, *next);
    return true;
  }
  pieces.erase(next, pieces.end());
  const std::int64_t used = total(pieces);
  if (n_bytes > declare::kMaxScratchBytes - used) return false;
  const std::int64_t least =
      n_bytes / npp::kScratchAlignment * npp::kScratchAlignment + npp::kScratchAlignment;
  ScratchPiece piece(
      std::max({least, std::min(2 * used, declare::kMaxScratchBytes - used), kLeastPiece}));
  if (piece.n_bytes() == 0) return false;
  use(memory, piece);
  pieces.push_back(std::move(piece));
  note_most(total(pieces));
  return true;
}

void close_scratch(npp::ScratchMemory* memory) {
  std::unique_ptr<Pieces> pieces(static_cast<Pieces*>(memory->owner));
  std::erase_if(*pieces,
                [](const ScratchPiece& piece) { return piece.n_bytes() > kKeptScratchBytes; });
  // Later pieces are larger.
  if (pieces->size() > 1) pieces->erase(pieces->begin(), pieces->end() - 1);
  kept_pieces() = std::move(pieces);
}

ScratchCounters scratch_counters() { return {n_bytes_now, most_n_bytes}; }

}  // namespace numpy_plugin::run
