// Finds the limit of an operand by the mnemonic.
#include "simulator/decode/function_decoder.hpp"

#include <algorithm>
#include <iterator>

#include "simulator/program/grammar.hpp"

namespace numpy_plugin::sim {
namespace {

struct Limit {
  std::string_view opcode;
  std::string_view words;
  std::size_t source;
  std::string_view expected;
  bool (*is_valid)(std::int64_t value);
};

constexpr Limit kLimits[] = {
#define NPP_PTX_LIMIT(opcode, words, source, expected, is_valid) \
  {opcode, words, source, expected, []([[maybe_unused]] std::int64_t value) { return is_valid; }},
#include "simulator/decode/limits.def"
};

}  // namespace

std::string_view expected_number(std::string_view mnemonic, std::size_t source,
                                 std::int64_t value) {
  const std::size_t end = std::min(mnemonic.find('.'), mnemonic.size());
  const auto is_broken = [&](const Limit& limit) {
    return limit.source == source && limit.opcode == mnemonic.substr(0, end) &&
           has_words(mnemonic.substr(end), limit.words) && !limit.is_valid(value);
  };
  const auto* limit = std::find_if(std::begin(kLimits), std::end(kLimits), is_broken);
  return limit == std::end(kLimits) ? "" : limit->expected;
}

}  // namespace numpy_plugin::sim
