// <type_traits> for NVRTC: what kernels use of it.
#pragma once

#include "npp/body/names.hpp"

namespace std {

template <class T, T constant>
struct integral_constant {
  using value_type = T;
  static constexpr T value = constant;
  NPP_FUNCTION constexpr operator T() const { return constant; }
  NPP_FUNCTION constexpr T operator()() const { return constant; }
};
template <bool constant>
using bool_constant = integral_constant<bool, constant>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;

template <class T>
struct type_identity {
  using type = T;
};
template <class... Ts>
using void_t = void;

template <bool condition, class A, class B>
struct conditional : type_identity<npp::Conditional<condition, A, B>> {};
template <bool condition, class A, class B>
using conditional_t = npp::Conditional<condition, A, B>;

template <bool condition, class T = void>
struct enable_if {};
template <class T>
struct enable_if<true, T> : type_identity<T> {};
template <bool condition, class T = void>
using enable_if_t = typename enable_if<condition, T>::type;

// ---- changes of types

template <class T>
struct remove_volatile : type_identity<T> {};
template <class T>
struct remove_volatile<volatile T> : type_identity<T> {};
template <class T>
struct remove_const : type_identity<npp::WithoutConst<T>> {};
template <class T>
struct remove_cv : remove_const<typename remove_volatile<T>::type> {};
template <class T>
struct remove_reference : type_identity<T> {};
template <class T>
struct remove_reference<T&> : type_identity<T> {};
template <class T>
struct remove_reference<T&&> : type_identity<T> {};
template <class T>
struct remove_pointer : type_identity<T> {};
template <class T>
struct remove_pointer<T*> : type_identity<T> {};
template <class T>
struct remove_cvref : remove_cv<typename remove_reference<T>::type> {};
template <class T>
struct decay : remove_cvref<T> {};
template <class T>
struct make_unsigned : type_identity<npp::Unsigned<T>> {};
template <class T>
struct make_signed : type_identity<npp::SignedOfSize<sizeof(T)>> {};

#define NPP_TYPE_ALIAS(name) \
  template <class T>         \
  using name##_t = typename name<T>::type;
NPP_TYPE_ALIAS(remove_const)
NPP_TYPE_ALIAS(remove_volatile)
NPP_TYPE_ALIAS(remove_cv)
NPP_TYPE_ALIAS(remove_reference)
NPP_TYPE_ALIAS(remove_pointer)
NPP_TYPE_ALIAS(remove_cvref)
NPP_TYPE_ALIAS(decay)
NPP_TYPE_ALIAS(make_unsigned)
NPP_TYPE_ALIAS(make_signed)
#undef NPP_TYPE_ALIAS

// ---- tests of types

template <class A, class B>
struct is_same : bool_constant<npp::kIsSame<A, B>> {};
template <class A, class B>
inline constexpr bool is_same_v = npp::kIsSame<A, B>;

#define NPP_TYPE_TEST(name, ...)                                 \
  template <class T>                                             \
  inline constexpr bool name##_plain = __VA_ARGS__;              \
  template <class T>                                             \
  inline constexpr bool name##_v = name##_plain<remove_cv_t<T>>; \
  template <class T>                                             \
  struct name : bool_constant<name##_v<T>> {};
NPP_TYPE_TEST(is_integral, npp::kIsInteger<T> || npp::kIsBool<T>)
NPP_TYPE_TEST(is_floating_point, npp::kIsOneOf<T, float, double>)
NPP_TYPE_TEST(is_arithmetic, is_integral_v<T> || is_floating_point_v<T>)
NPP_TYPE_TEST(is_signed, npp::kIsSigned<T> || is_floating_point_v<T>)
NPP_TYPE_TEST(is_unsigned, is_integral_v<T> && !npp::kIsSigned<T>)
NPP_TYPE_TEST(is_void, npp::kIsSame<T, void>)
NPP_TYPE_TEST(is_pointer, !npp::kIsSame<T, remove_pointer_t<T>>)
NPP_TYPE_TEST(is_trivially_copyable, __is_trivially_copyable(T))
NPP_TYPE_TEST(is_enum, __is_enum(T))
NPP_TYPE_TEST(is_class, __is_class(T))
#undef NPP_TYPE_TEST
template <class T>
inline constexpr bool is_const_v = !npp::kIsSame<T, npp::WithoutConst<T>>;
template <class T>
struct is_const : bool_constant<is_const_v<T>> {};

}  // namespace std
