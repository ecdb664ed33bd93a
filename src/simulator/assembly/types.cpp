// PTX's types: spellings, sizes and meanings, from types.def.
#include "simulator/assembly/types.hpp"

#include <array>
#include <cstddef>

namespace numpy_plugin::sim {
namespace {

struct TypeRow {
  std::string_view spelling;
  std::uint32_t bytes;
  TypeKind kind;
};

// In the order of the enumerators, starting with kNone.
constexpr TypeRow kTypes[] = {
    {"", 0, TypeKind::kNone},
#define NPP_PTX_TYPE(enumerator, spelling, bytes, kind) {spelling, bytes, TypeKind::kind},
#include "simulator/assembly/types.def"
};

const TypeRow& row(Type type) { return kTypes[static_cast<std::size_t>(type)]; }

}  // namespace

Type find_type(std::string_view spelling) {
  for (std::size_t index = 1; index < std::size(kTypes); ++index) {
    if (kTypes[index].spelling == spelling) return static_cast<Type>(index);
  }
  return Type::kNone;
}

std::string_view spelling(Type type) { return row(type).spelling; }
std::uint32_t size_bytes(Type type) { return row(type).bytes; }
TypeKind kind(Type type) { return row(type).kind; }
bool can_be_declared(Type type) { return size_bytes(type) != 0 || type == Type::kPred; }

}  // namespace numpy_plugin::sim
