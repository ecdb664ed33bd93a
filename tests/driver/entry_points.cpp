// The exported functions: one for each row of the product's table, which the dynamic linker
// resolves to an instance of Forward.
#include "driver/counting_driver.hpp"

namespace counting_driver {
namespace {

template <std::size_t length>
struct Symbol {
  char text[length];
  constexpr Symbol(const char (&given)[length]) {
    for (std::size_t i = 0; i < length; ++i) text[i] = given[i];
  }
};

template <Symbol symbol, class Function>
struct Forward;

template <Symbol symbol, class... Arguments>
struct Forward<symbol, CUresult(Arguments...)> {
  static CUresult call(Arguments... arguments) {
    static void* const replaced = replacement(symbol.text);
    static const auto function = reinterpret_cast<CUresult (*)(Arguments...)>(
        replaced != nullptr ? replaced : simulated(symbol.text));
    static const EntryPoint point = make_entry_point(symbol.text);
    CUresult result = begin_call(point);
    if (result == CUDA_SUCCESS) result = function(arguments...);
    end_call(point, result);
    return result;
  }
};

}  // namespace
}  // namespace counting_driver

#define NPP_DRIVER_FUNCTION(name, symbol)                           \
  extern "C" decltype(name)* resolve_##name() {                     \
    return &counting_driver::Forward<symbol, decltype(name)>::call; \
  }                                                                 \
  extern "C" decltype(name) exported_##name __asm__(symbol)         \
      __attribute__((ifunc("resolve_" #name)));
#include "numpy_plugin/load/driver.def"
