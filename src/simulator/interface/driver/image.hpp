// Code images: PTX text, fatbins with PTX in them, and what the linker has made.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simulator/decode/decode.hpp"
#include "simulator/interface/driver/architecture.hpp"

namespace numpy_plugin::sim {

// The PTX texts in an image, which says by itself how long it is; of a fatbin, the newest text for
// architectures up to `architecture`. Throws CallError where there is none that can be run.
std::vector<std::string> ptx_of_image(const void* image, const Architecture& architecture);
// Likewise, of a fatbin of known length.
std::string ptx_of_fatbin(std::string_view fatbin, const Architecture& architecture);

bool is_fatbin(std::string_view bytes);
bool is_machine_code(std::string_view bytes);
bool is_lto_ir(std::string_view bytes);
[[noreturn]] void refuse_machine_code();

// An image of linked texts.
std::string make_image(const std::vector<std::string>& texts);

// Throws CallError with the line of the text that is wrong.
std::vector<Module> parse_texts(const std::vector<std::string>& texts);
DecodedModule decode_modules(const std::vector<Module>& parsed, const Decoding& decoding);
void require_target(const std::vector<Module>& parsed, const Architecture& architecture);

}  // namespace numpy_plugin::sim
