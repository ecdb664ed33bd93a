// Finds and parses the PTX in code images.
#include "simulator/interface/driver/image.hpp"

#include <cctype>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>

#include "numpy_plugin/base/error.hpp"
#include "simulator/interface/driver/call.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::string_view kElfMagic =
    "\x7f"
    "ELF";
constexpr std::string_view kLibraryMagic = "!<arch>\n";
constexpr std::string_view kLtoIrMagic =
    "\xed"
    "CN\x7f";
constexpr std::string_view kFatbinMagic = "\x50\xed\x55\xba";
constexpr std::string_view kWrapperMagic = "\xb1\x43\x62\x46";  // a struct with a fatbin's address
constexpr std::string_view kLinkedMagic = "npp-ptx\n";
constexpr std::size_t kMagicBytes = 4;

template <typename Number>
Number read(std::string_view bytes, std::size_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(Number)) {
    throw CallError(CUDA_ERROR_INVALID_IMAGE, "the fatbin ends too early");
  }
  Number number;
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

// An entry of a fatbin, by its field offsets.
struct FatbinEntry {
  std::uint16_t kind = 0;
  std::uint32_t header_bytes = 0;
  std::uint64_t n_bytes = 0;
  std::uint32_t compressed_bytes = 0;  // 0: not compressed
  std::uint32_t architecture = 0;

  FatbinEntry(std::string_view fatbin, std::size_t offset)
      : kind(read<std::uint16_t>(fatbin, offset)),
        header_bytes(read<std::uint32_t>(fatbin, offset + 4)),
        n_bytes(read<std::uint64_t>(fatbin, offset + 8)),
        compressed_bytes(read<std::uint32_t>(fatbin, offset + 16)),
        architecture(read<std::uint32_t>(fatbin, offset + 28)) {}
};

constexpr std::uint16_t kFatbinPtx = 1;

// The text of an entry, whose header and data are `bytes`.
std::string text_of(const FatbinEntry& entry, std::string_view bytes) {
  constexpr std::uint32_t kLz4 = 0x2000;
  constexpr std::uint32_t kZstd = 0x8000;
  const std::string_view data = bytes.substr(entry.header_bytes);
  if (entry.compressed_bytes == 0) return std::string(data);
  require(entry.compressed_bytes <= data.size(), CUDA_ERROR_INVALID_IMAGE,
          "the fatbin ends too early");
  const std::string_view compressed = data.substr(0, entry.compressed_bytes);
  const auto flags = read<std::uint32_t>(bytes, 40);
  const auto n_bytes = read<std::uint64_t>(bytes, 56);
  if ((flags & kZstd) != 0) return decompress_zstd(compressed, n_bytes);
  if ((flags & kLz4) != 0) return decompress_lz4(compressed, n_bytes);
  throw CallError(CUDA_ERROR_NO_BINARY_FOR_GPU,
                  "the fatbin's PTX is compressed in a way that the simulator can't read; make it "
                  "with --compress=false");
}

std::uint64_t fatbin_bytes(std::string_view fatbin) {
  return read<std::uint16_t>(fatbin, 6) + read<std::uint64_t>(fatbin, 8);
}

std::vector<std::string> linked_texts(const char* image) {
  std::vector<std::string> texts;
  const char* next = image + kLinkedMagic.size();
  const auto read_size = [&] {
    std::uint64_t size = 0;
    std::memcpy(&size, next, sizeof size);
    next += sizeof size;
    return size;
  };
  texts.resize(read_size());
  for (std::string& text : texts) {
    const std::uint64_t size = read_size();
    text.assign(next, size);
    next += size;
  }
  return texts;
}

// "the PTX, line 12: ...", with the number of the text where there are several.
CallError error_of(const PtxError& error, std::size_t index, std::size_t count) {
  const std::string which = count == 1 ? "the PTX" : format("PTX {}", index + 1);
  const bool is_version = dynamic_cast<const PtxVersionError*>(&error) != nullptr;
  return CallError(is_version ? CUDA_ERROR_UNSUPPORTED_PTX_VERSION : CUDA_ERROR_INVALID_PTX,
                   format("{}, {}", which, error.what()));
}

}  // namespace

bool is_fatbin(std::string_view bytes) { return bytes.starts_with(kFatbinMagic); }
bool is_machine_code(std::string_view bytes) {
  return bytes.starts_with(kElfMagic) || bytes.starts_with(kLibraryMagic);
}
bool is_lto_ir(std::string_view bytes) { return bytes.starts_with(kLtoIrMagic); }

void refuse_machine_code() {
  throw CallError(CUDA_ERROR_NO_BINARY_FOR_GPU,
                  "the code is machine code only, which the simulator can't run; give it PTX or "
                  "LTO-IR");
}

std::string ptx_of_fatbin(std::string_view fatbin, const Architecture& architecture) {
  std::optional<FatbinEntry> newest;
  std::string_view its_bytes;
  const std::uint64_t end = fatbin_bytes(fatbin);
  for (std::uint64_t offset = read<std::uint16_t>(fatbin, 6); offset < end;) {
    const FatbinEntry entry(fatbin, offset);
    const std::uint64_t data = offset + entry.header_bytes;
    require(entry.header_bytes > 0 && data <= end && entry.n_bytes <= end - data &&
                end <= fatbin.size(),
            CUDA_ERROR_INVALID_IMAGE, "the fatbin ends too early");
    if (entry.kind == kFatbinPtx &&
        entry.architecture <= static_cast<unsigned>(architecture.number()) &&
        (!newest || entry.architecture >= newest->architecture)) {
      newest = entry;
      its_bytes = fatbin.substr(offset, entry.header_bytes + entry.n_bytes);
    }
    offset = data + entry.n_bytes;
  }
  if (!newest) refuse_machine_code();
  const std::string text = text_of(*newest, its_bytes);
  return text.substr(0, text.find('\0'));
}

std::vector<std::string> ptx_of_image(const void* image, const Architecture& architecture) {
  const auto* const bytes = static_cast<const char*>(image);
  const std::string_view magic(bytes, ::strnlen(bytes, kMagicBytes));
  if (magic == kWrapperMagic) {  // magic, version, address
    const void* fatbin = nullptr;
    std::memcpy(&fatbin, bytes + 8, sizeof fatbin);
    return ptx_of_image(fatbin, architecture);
  }
  if (is_fatbin(magic)) {
    constexpr std::size_t kHeaderBytes = 16;
    const std::uint64_t n_bytes = fatbin_bytes({bytes, kHeaderBytes});
    return {ptx_of_fatbin({bytes, n_bytes}, architecture)};
  }
  if (is_machine_code(magic)) refuse_machine_code();
  require(!is_lto_ir(magic), CUDA_ERROR_INVALID_IMAGE,
          "LTO-IR is not loaded but linked: give it to cuLinkAddData");
  if (std::strncmp(bytes, kLinkedMagic.data(), kLinkedMagic.size()) == 0) {
    return linked_texts(bytes);
  }
  const bool is_text = !magic.empty() && (std::isprint(static_cast<unsigned char>(magic[0])) != 0 ||
                                          std::isspace(static_cast<unsigned char>(magic[0])) != 0);
  require(is_text, CUDA_ERROR_INVALID_IMAGE, "the code is neither PTX nor a fatbin");
  return {bytes};
}

std::string make_image(const std::vector<std::string>& texts) {
  std::string image(kLinkedMagic);
  const auto write_size = [&](std::uint64_t size) {
    image.append(reinterpret_cast<const char*>(&size), sizeof size);
  };
  write_size(texts.size());
  for (const std::string& text : texts) {
    write_size(text.size());
    image += text;
  }
  return image;
}

std::vector<Module> parse_texts(const std::vector<std::string>& texts) {
  std::vector<Module> parsed;
  for (std::size_t index = 0; index < texts.size(); ++index) {
    try {
      parsed.push_back(parse_ptx(texts[index]));
    } catch (const PtxError& error) {
      throw error_of(error, index, texts.size());
    }
  }
  return parsed;
}

DecodedModule decode_modules(const std::vector<Module>& parsed, const Decoding& decoding) {
  try {
    return decode(parsed, decoding);
  } catch (const PtxError& error) {
    throw error_of(error, 0, 1);
  }
}

std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw CallError(CUDA_ERROR_FILE_NOT_FOUND, format("no file '{}'", path));
  return {std::istreambuf_iterator<char>(file), {}};
}

void require_target(const std::vector<Module>& parsed, const Architecture& architecture) {
  for (const Module& module : parsed) {
    const std::string reason = incompatibility(architecture, module.target);
    if (!reason.empty()) throw CallError(CUDA_ERROR_INVALID_PTX, reason);
  }
}

}  // namespace numpy_plugin::sim
