// mul and mad of integers.
#include "simulator/handlers/common/product.hpp"

#include "simulator/handlers/common/elements.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

template <class Product>
struct ProductSum {
  template <class T, class Sum>
  static Sum apply(T a, T b, Sum c) {
    return static_cast<Sum>(Product::apply(a, b) + c);
  }
};

template <class T>
Handler find_wide(bool has_sum) {
  if (has_sum) return apply<ProductSum<WideProduct>, Wider<T>, T, T, Wider<T>>;
  return apply<WideProduct, Wider<T>, T, T>;
}

Handler find_wide(Type type, bool has_sum) {
  switch (type) {
    case Type::kU16:
      return find_wide<std::uint16_t>(has_sum);
    case Type::kS16:
      return find_wide<std::int16_t>(has_sum);
    case Type::kU32:
      return find_wide<std::uint32_t>(has_sum);
    case Type::kS32:
      return find_wide<std::int32_t>(has_sum);
    default:
      return nullptr;
  }
}

template <class Function, int kSources>
Handler find_high(Type type) {
  return choose<Function, kSources, Type::kU16, Type::kU32, Type::kU64, Type::kS16, Type::kS32,
                Type::kS64>(type);
}

}  // namespace

Handler find_product(const Operation& operation) {
  const bool has_sum = operation.opcode == Opcode::kMad;
  switch (operation.part) {
    case Part::kWide:
      return find_wide(operation.type, has_sum);
    case Part::kLow:
      return has_sum ? choose_by_size<ProductSum<LowProduct>, 3>(operation.type)
                     : choose_by_size<LowProduct, 2>(operation.type);
    case Part::kHigh:
      return has_sum ? find_high<ProductSum<HighProduct>, 3>(operation.type)
                     : find_high<HighProduct, 2>(operation.type);
    default:
      return nullptr;
  }
}

}  // namespace numpy_plugin::sim::NPP_ISA
