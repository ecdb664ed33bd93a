// Code images: PTX text, fatbins with PTX, and the linker's output.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/decode/decode.hpp"
#include "simulator/interface/driver/architecture.hpp"

namespace numpy_plugin::sim {

// PTX texts in an image, which contains its own length; for a fatbin, the newest text for
// architectures up to `architecture`. Throws CallError where none can be run.
std::vector<std::string> ptx_of_image(const void* image, const Architecture& architecture);
// Likewise, for a fatbin of known length.
std::string ptx_of_fatbin(std::string_view fatbin, const Architecture& architecture);

// Throws CallError where there is none.
std::string read_file(const char* path);

bool is_fatbin(std::string_view bytes);
bool is_machine_code(std::string_view bytes);
bool is_lto_ir(std::string_view bytes);
[[noreturn]] void refuse_machine_code();

// An image of linked texts.
std::string make_image(const std::vector<std::string>& texts);

// Throws CallError with the invalid line.
std::vector<Module> parse_texts(const std::vector<std::string>& texts);
DecodedModule decode_modules(const std::vector<Module>& parsed, const Decoding& decoding);
void require_target(const std::vector<Module>& parsed, const Architecture& architecture);

// Compressed entries of fatbins.

// The `n_bytes` bytes of an LZ4 block, which nvcc makes with --compress-mode=speed, and before
// CUDA 13 always. Throws CallError for a damaged one.
std::string decompress_lz4(std::string_view block, std::size_t n_bytes);

// Likewise, of a Zstandard frame, as CUDA 13 makes by default. Needs the system's libzstd.
std::string decompress_zstd(std::string_view frame, std::size_t n_bytes);

}  // namespace numpy_plugin::sim
