// Formats operands and statements as text.
#include "simulator/program/spelling.hpp"

#include <cxxabi.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "numpy_plugin/base/format.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::size_t kLongest = 200;  // limit for a statement in a message

std::string parts_written(const Function& function, const Operand& operand, const char* separator) {
  std::string text;
  for (const Operand& part : operand.parts) {
    if (!text.empty()) text += separator;
    text += written(function, part);
  }
  return text;
}

std::string hexadecimal(const char* format, std::uint64_t bits) {
  char buffer[24];
  std::snprintf(buffer, sizeof buffer, format, static_cast<unsigned long long>(bits));
  return buffer;
}

std::string address_written(const Function& function, const Operand& operand) {
  const std::string base = parts_written(function, operand, ", ");
  if (operand.bits == 0) return format("[{}]", base);
  return format("[{}+{}]", base, static_cast<std::int64_t>(operand.bits));
}

// The parser numbers the variables of inner scopes: "x#2".
std::string symbol_written(const Function& function, const Operand& operand) {
  std::string text = operand.name.substr(0, operand.name.find('#'));
  if (!operand.parts.empty()) text += format("[{}]", parts_written(function, operand, ""));
  if (operand.bits != 0) text += format("+{}", static_cast<std::int64_t>(operand.bits));
  return text;
}

}  // namespace

std::string written(const Function& function, const Operand& operand) {
  using Kind = Operand::Kind;
  switch (operand.kind) {
    case Kind::kRegister: {
      const bool is_known = operand.index < function.register_names.size();
      const std::string name = is_known ? function.register_names[operand.index] : "%?";
      const std::string sign = operand.is_negated ? "!" : operand.has_minus ? "-" : "";
      return sign + name + (operand.name.empty() ? "" : "." + operand.name);
    }
    case Kind::kSpecial:
      return operand.name;
    case Kind::kSymbol:
      return symbol_written(function, operand);
    case Kind::kLabel:
      return operand.name.empty() ? "label" : operand.name;
    case Kind::kInteger:
      return std::to_string(static_cast<std::int64_t>(operand.bits));
    case Kind::kFloat32:
      return hexadecimal("0f%08llX", operand.bits);
    case Kind::kFloat64:
      return hexadecimal("0d%016llX", operand.bits);
    case Kind::kAddress:
      return address_written(function, operand);
    case Kind::kVector:
      return format("{{}}", parts_written(function, operand, ", "));
    case Kind::kPair:
      return parts_written(function, operand, "|");
    case Kind::kList:
      return format("({})", parts_written(function, operand, ", "));
    case Kind::kSink:
      return "_";
  }
  return "?";
}

std::string written(const Function& function, const Statement& statement) {
  std::string text;
  if (statement.guard) text = format("@{} ", written(function, *statement.guard));
  text += statement.mnemonic;
  const char* separator = " ";
  for (const Operand& operand : statement.operands) {
    text += separator + written(function, operand);
    separator = ", ";
    if (text.size() > kLongest) return text.substr(0, kLongest) + "...";
  }
  return text;
}

// Demangles with the C++ library of the host, whose mangling NVIDIA's compilers share.
std::string readable_name(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> demangled(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return name.starts_with("_Z") && status == 0 ? demangled.get() : name;
}

}  // namespace numpy_plugin::sim
