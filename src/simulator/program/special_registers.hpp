// Special registers by their names in PTX.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "simulator/assembly/types.hpp"
#include "simulator/program/program.hpp"

namespace numpy_plugin::sim {

struct SpecialRegisterRow {
  Type type = Type::kU32;
  SpecialRegister name = {};
  std::optional<std::uint32_t> constant;  // its value if constant; `name` is then unused
};

std::optional<SpecialRegisterRow> find_special_register(std::string_view spelling);

// Whether it changes while a block runs.
bool is_clock(SpecialRegister name);

}  // namespace numpy_plugin::sim
