// special_registers.def as data.
#include "simulator/program/program.hpp"

#include <unordered_map>

#include "numpy_plugin/system/fork.hpp"

namespace numpy_plugin::sim {

namespace {

std::unordered_map<std::string_view, SpecialRegisterRow> special_registers() {
  return {
#define NPP_PTX_SPECIAL_REGISTER(enumerator, spelling, type) \
  {spelling, {Type::type, SpecialRegister::enumerator, std::nullopt}},
#define NPP_PTX_SPECIAL_CONSTANT(spelling, type, value) {spelling, {Type::type, {}, value}},
#define NPP_PTX_SPECIAL_ALIAS(spelling, enumerator, type) \
  {spelling, {Type::type, SpecialRegister::enumerator, std::nullopt}},
#include "simulator/program/special_registers.def"
  };
}

}  // namespace

std::optional<SpecialRegisterRow> find_special_register(std::string_view spelling) {
  const auto& rows = system::made_once<special_registers>();
  const auto row = rows.find(spelling);
  if (row == rows.end()) return std::nullopt;
  return row->second;
}

bool is_clock(SpecialRegister name) {
  switch (name) {
    case SpecialRegister::kClock:
    case SpecialRegister::kClockHi:
    case SpecialRegister::kClock64:
    case SpecialRegister::kGlobaltimer:
    case SpecialRegister::kGlobaltimerLo:
    case SpecialRegister::kGlobaltimerHi:
      return true;
    default:
      return false;
  }
}

}  // namespace numpy_plugin::sim
