// LZ4's block format is a list of sequences: a token, literals, and a match with earlier output.
#include "simulator/interface/driver/image.hpp"

#include "numpy_plugin/system/dynamic_library.hpp"
#include "simulator/interface/driver/call.hpp"

namespace numpy_plugin::sim {
namespace {

void require_whole(bool is_whole) {
  require(is_whole, CUDA_ERROR_INVALID_IMAGE, "the fatbin's compressed PTX is damaged");
}

class Lz4Block {
 public:
  Lz4Block(std::string_view block, std::size_t n_bytes) : rest_(block), n_bytes_(n_bytes) {}

  // The last sequence has no match.
  std::string read() {
    while (!rest_.empty()) {
      const unsigned token = take();
      copy_literals(length(token >> 4));
      if (rest_.empty()) break;
      const std::size_t low = take();
      const std::size_t distance = low | std::size_t{take()} << 8;
      copy_match(distance, kLeastMatch + length(token & kMoreFollow));
    }
    require_whole(text_.size() == n_bytes_);
    return std::move(text_);
  }

 private:
  static constexpr std::size_t kLeastMatch = 4;
  static constexpr unsigned kMoreFollow = 15;
  static constexpr unsigned kMostOfByte = 255;

  unsigned take() {
    require_whole(!rest_.empty());
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    return byte;
  }

  std::size_t length(unsigned half_of_token) {
    std::size_t total = half_of_token;
    unsigned more = half_of_token == kMoreFollow ? kMostOfByte : 0;
    while (more == kMostOfByte) total += more = take();
    return total;
  }

  void copy_literals(std::size_t count) {
    require_whole(count <= rest_.size() && count <= n_bytes_ - text_.size());
    text_ += rest_.substr(0, count);
    rest_.remove_prefix(count);
  }

  // Byte by byte: a match may reach into its own copy.
  void copy_match(std::size_t distance, std::size_t count) {
    require_whole(distance >= 1 && distance <= text_.size() && count <= n_bytes_ - text_.size());
    for (; count > 0; --count) text_ += text_[text_.size() - distance];
  }

  std::string_view rest_;
  std::size_t n_bytes_;
  std::string text_;
};

}  // namespace

std::string decompress_lz4(std::string_view block, std::size_t n_bytes) {
  return Lz4Block(block, n_bytes).read();
}

std::string decompress_zstd(std::string_view frame, std::size_t n_bytes) {
  std::size_t (*decompress)(void*, std::size_t, const void*, std::size_t) = nullptr;
  static const auto& library = *new system::DynamicLibrary("libzstd.so.1");
  if (!library.is_open() || !library.find("ZSTD_decompress", decompress)) {
    throw CallError(
        CUDA_ERROR_NO_BINARY_FOR_GPU,
        format("the fatbin's PTX is compressed with Zstandard, for which libzstd.so.1 is needed "
               "({}); install it, or use nvcc's --compress-mode=speed or none",
               library.error()));
  }
  constexpr std::size_t kMostTimes = std::size_t{1} << 15;  // more than text can be compressed
  require_whole(n_bytes / kMostTimes <= frame.size());
  std::string text(n_bytes, '\0');
  // Errors are numbers beyond all sizes.
  require_whole(decompress(text.data(), n_bytes, frame.data(), frame.size()) == n_bytes);
  return text;
}

}  // namespace numpy_plugin::sim
