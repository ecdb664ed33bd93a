// What the fuzzer and the test of changed texts do with a text: read it and decode it.
#pragma once

#include <cstdint>
#include <string_view>

#include "simulator/decode/decode.hpp"

namespace numpy_plugin::sim {

// Every instruction of the table has a handler: the decoder alone judges.
inline Handler any_handler(const Instruction&) {
  return [](Warp&, const Instruction&) {};
}

// False where the text is refused with an error for its reader; any other exception passes through.
inline bool is_accepted(std::string_view text) {
  std::uint64_t end = 4096;
  const auto place = [&end](const GlobalVariable& variable) {
    const std::uint64_t alignment = variable.alignment_bytes;
    const std::uint64_t begin = (end + alignment - 1) / alignment * alignment;
    end = begin + variable.n_bytes;
    return begin;
  };
  try {
    decode({parse_ptx(text)}, {any_handler, place});
    return true;
  } catch (const PtxError&) {
    return false;
  }
}

}  // namespace numpy_plugin::sim
