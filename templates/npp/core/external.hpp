// External functions: checks of their declared types.
#pragma once

#include "npp/core/prelude.hpp"

namespace npp {

// Whether two types are equivalent: long and long long, for instance.
template <class A, class B>
inline constexpr bool kIsSameNumber = kIsSame<A, B>;
template <class A, class B>
requires(kIsInteger<A>&& kIsInteger<B>) inline constexpr bool kIsSameNumber<A, B> =
    sizeof(A) == sizeof(B) && kIsSigned<A> == kIsSigned<B>;

template <class Declared, class Found>
inline constexpr bool kAreSameNumbers = false;
template <class... Declared, class... Found>
requires(
    sizeof...(Declared) ==
    sizeof...(Found)) inline constexpr bool kAreSameNumbers<Types<Declared...>, Types<Found...>> =
    (kIsSameNumber<Declared, WithoutConst<Found>> && ...);

// `Declared`: the result's type, then the parameters'.
template <class Declared, class Result, class... Parameters>
NPP_FUNCTION constexpr bool has_types(Result (*)(Parameters...)) {
  return kAreSameNumbers<Declared, Types<Result, Parameters...>>;
}

}  // namespace npp
