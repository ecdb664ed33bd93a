// Literals: integers, shortest floating-point decimals, 16-bit floats, complex numbers.
#include "numpy_plugin/emit/printing/cpp_text.hpp"

#include <charconv>
#include <cmath>
#include <limits>

namespace numpy_plugin::emit {
namespace {

using base::DType;

// A binary format: precision in bits, and the exponent of its smallest normal number.
struct Format {
  int precision;
  int least_exponent;
  double largest;
};
constexpr Format kFloat16Format = {11, -14, 65504.0};
constexpr Format kBFloat16Format = {8, -126, 0x1.FEp127};

// Rounds once to the nearest number of the format, ties to even: via float it would round twice.
double round_to(const Format& format, double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int exponent = std::ilogb(value);
  const int quantum = std::max(exponent, format.least_exponent) - (format.precision - 1);
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -quantum)), quantum);
  if (std::fabs(rounded) <= format.largest) return rounded;
  return std::copysign(std::numeric_limits<double>::infinity(), value);
}

template <class Float>
std::string shortest(Float value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  std::string result(text, end);
  if (result.find_first_of(".e") == std::string::npos) result += ".0";
  return result;
}

// Infinities and NaN have no literals.
template <class Float>
std::string print_floating(Float value) {
  const bool is_float = sizeof(Float) == sizeof(float);
  const std::string limits = is_float ? "npp::Limits<float>::" : "npp::Limits<double>::";
  if (std::isnan(value)) return limits + "kNan";
  if (std::isinf(value)) return format("{}{}kInfinity", value < 0 ? "-" : "", limits);
  return shortest(value) + (is_float ? "f" : "");
}

std::string print_floating(double value, DType dtype) {
  const std::string type(base::info(dtype).cpp_name);
  switch (dtype) {
    case DType::kFloat16:
      value = round_to(kFloat16Format, value);
      break;
    case DType::kBFloat16:
      value = round_to(kBFloat16Format, value);
      break;
    case DType::kFloat32:
      return print_floating(static_cast<float>(value));
    default:
      return print_floating(value);
  }
  return format("npp::cast<{}>({})", type, print_floating(static_cast<float>(value)));
}

std::string print_complex(std::complex<double> value, DType dtype) {
  const DType part = dtype == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
  return format("{}{{}, {}}", base::info(dtype).cpp_name, print_floating(value.real(), part),
                print_floating(value.imag(), part));
}

std::string print_signed(std::int64_t value, DType dtype) {
  // C++ has no negative literals: the minimum is an expression.
  const std::string digits = value == std::numeric_limits<std::int64_t>::min()
                                 ? "-9223372036854775807 - 1"
                                 : std::to_string(value);
  if (dtype == DType::kInt32 && value > std::numeric_limits<std::int32_t>::min()) return digits;
  return format("{}({})", base::info(dtype).cpp_name, digits);
}

std::string print_unsigned(std::uint64_t value, DType dtype) {
  const std::string digits = format("{}u", value);
  if (dtype == DType::kUInt32) return digits;
  return format("{}({})", base::info(dtype).cpp_name, digits);
}

}  // namespace

std::string print_constant(const declare::ConstantValue& value, DType dtype) {
  switch (base::info(dtype).kind) {
    case base::DTypeKind::kBoolean:
      return std::get<std::int64_t>(value) != 0 ? "true" : "false";
    case base::DTypeKind::kSigned:
    case base::DTypeKind::kTime:
      return print_signed(std::get<std::int64_t>(value), dtype);
    case base::DTypeKind::kUnsigned:
      return print_unsigned(std::get<std::uint64_t>(value), dtype);
    case base::DTypeKind::kFloating:
      return print_floating(std::get<double>(value), dtype);
    case base::DTypeKind::kComplex:
      return print_complex(std::get<std::complex<double>>(value), dtype);
  }
  base::fail_assertion("dtype has a kind", __FILE__, __LINE__, std::string(base::name(dtype)));
}

}  // namespace numpy_plugin::emit
