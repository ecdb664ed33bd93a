// The recursion over expressions, and the spelling of each node for scalars.
#include "numpy_plugin/emit/printing/expression.hpp"

#include <algorithm>

#include "numpy_plugin/analysis/scalar_loops.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/emit/printing/cpp_text.hpp"

namespace numpy_plugin::emit {

using declare::ArraySize;
using declare::AtomicUpdate;
using declare::ConstantValue;
using declare::DeviceFunctionCall;
using declare::ElementLoad;
using declare::Expression;
using declare::ExpressionKind;
using declare::ExternalFunctionCall;
using declare::LocalReference;
using declare::Operation;
using declare::ThreadFunction;
using declare::TupleItem;
using declare::ValueType;

std::string cpp_type(const ValueType& type) {
  switch (type.kind) {
    case ValueType::Kind::kNone:
      return "void";
    case ValueType::Kind::kScalar:
      return std::string(base::info(type.dtype).cpp_name);
    case ValueType::Kind::kTuple: {
      std::vector<std::string> items;
      for (const ValueType& item : type.items) items.push_back(cpp_type(item));
      return format("npp::Tuple<{}>", base::join(items, ", "));
    }
    case ValueType::Kind::kArray:
      break;
  }
  return format("npp::View<{}{}, {}>", type.is_read_only ? "const " : "",
                base::info(type.dtype).cpp_name, type.n_dimensions);
}

std::vector<std::string> Scope::with_errors(std::vector<std::string> arguments) const {
  if (!errors.empty()) arguments.insert(arguments.begin(), errors);
  return arguments;
}

std::vector<std::string> Scope::with_context(std::vector<std::string> arguments) const {
  if (!scratch.empty()) arguments.insert(arguments.begin(), scratch);
  return with_errors(std::move(arguments));
}

std::string ExpressionPrinter::print(const Expression& expression) const {
  const Texts operands = print(expression.operands);
  switch (expression.kind) {
    case ExpressionKind::kConstant:
      return constant(expression);
    case ExpressionKind::kLocal:
      return local(detail<LocalReference>(expression).local);
    case ExpressionKind::kCall:
      return call(function_name(expression), operands);
    case ExpressionKind::kCast:
      if (expression.type.kind == ValueType::Kind::kArray) return array_cast(expression, operands);
      return call(format("npp::cast<{}>", cpp_type(expression.type)), operands);
    case ExpressionKind::kSelect:
      return select(operands);
    case ExpressionKind::kAnd:
    case ExpressionKind::kOr:
      return logical(expression, operands);
    case ExpressionKind::kTuple:
      return format("{}{{}}", cpp_type(expression.type), base::join(operands, ", "));
    case ExpressionKind::kTupleItem:
      return call(format("npp::get<{}>", detail<TupleItem>(expression).item), operands);
    case ExpressionKind::kLoad:
      return loaded(detail<ElementLoad>(expression).array, indices(expression, operands),
                    expression.exception);
    case ExpressionKind::kArraySize:
      return size(detail<ArraySize>(expression));
    case ExpressionKind::kView:
      return view(expression, operands);
    case ExpressionKind::kTranspose:
      return call("npp::transposed",
                  {format("{}({})", cpp_type(expression.type), operands.front())});
    case ExpressionKind::kReshape:
      return reshaped(expression, operands);
    case ExpressionKind::kSlice:
      return operands.empty() ? "npp::All{}" : format("npp::Slice{{}}", base::join(operands, ", "));
    case ExpressionKind::kFillElements:
      return call("npp::fill_elements", operands);
    case ExpressionKind::kCopyElements:
      return elements(expression, "copy", operands);
    case ExpressionKind::kMoveElements:
      return elements(expression, "move", operands);
    case ExpressionKind::kSortElements:
      return call(std::get_if<Operation>(&expression.detail) == nullptr ? "npp::sort_elements"
                                                                        : "npp::sort_times",
                  operands);
    case ExpressionKind::kDynamicArray:
      return format("npp::dynamic_array<{}>()", base::info(expression.type.dtype).cpp_name);
    case ExpressionKind::kZeroArray:
      return "{}";
    case ExpressionKind::kScratchArray:
      break;  // statements print it, with the slots of a loop
    case ExpressionKind::kCallFunction:
      return call(name_of(detail<DeviceFunctionCall>(expression)), scope_.with_context(operands));
    case ExpressionKind::kCallExternal:
      return call(name_of(detail<ExternalFunctionCall>(expression)), operands);
    case ExpressionKind::kAtomic:
      return atomic(expression, operands);
    case ExpressionKind::kPrint:
      return printed(*detail<declare::PrintedText>(expression).text, operands);
    case ExpressionKind::kThread:
      return call(format("npp::{}", declare::info(detail<ThreadFunction>(expression)).name),
                  operands);
  }
  base::fail_assertion("the expression can be printed by itself", __FILE__, __LINE__,
                       std::to_string(static_cast<int>(expression.kind)));
}

// "npp::scalar_less" in the place of npp::less where nothing is vectorized.
std::string ExpressionPrinter::function_name(const Expression& call) const {
  const bool is_scalar =
      scope_.is_scalar && (analysis::is_ordering(call) || analysis::is_python_extremum(call));
  return format("npp::{}{}", is_scalar ? "scalar_" : "",
                declare::info(detail<Operation>(call)).name);
}

std::vector<std::string> ExpressionPrinter::print(
    const std::vector<Expression>& expressions) const {
  Texts texts;
  for (const Expression& expression : expressions) texts.push_back(print(expression));
  return texts;
}

std::string ExpressionPrinter::element(int array, const Texts& indices, int exception) const {
  if (exception < 0) return format("{}.at({})", local(array), base::join(indices, ", "));
  Texts arguments = indices;
  arguments.insert(arguments.begin(), local(array));
  return checked("npp::checked_at", exception, arguments);
}

std::string ExpressionPrinter::loaded(int array, const Texts& indices, int exception) const {
  if (exception < 0) return element(array, indices, exception);
  Texts arguments = indices;
  arguments.insert(arguments.begin(), local(array));
  return checked("npp::checked_load", exception, arguments);
}

ExpressionPrinter::Texts ExpressionPrinter::indices(const Expression& load, Texts texts) const {
  for (std::size_t i = 0; load.exception < 0 && i < texts.size(); ++i) {
    const std::optional<int> local = declare::read_local(load.operands[i]);
    if (local && scope_.counters.contains(*local)) texts[i] = format("npp::Counted{{}}", texts[i]);
  }
  return texts;
}

std::string ExpressionPrinter::size(const ArraySize& size) const {
  return format("{}.shape({})", local(size.array), size.axis);
}

const std::string& ExpressionPrinter::name_of(const DeviceFunctionCall& call) const {
  return scope_.device_functions.at(static_cast<std::size_t>(call.function));
}

const std::string& ExpressionPrinter::name_of(const ExternalFunctionCall& call) const {
  return scope_.external_functions.at(static_cast<std::size_t>(call.function));
}

// "npp::checked_at<1>(errors, a, i, j)".
std::string ExpressionPrinter::checked(std::string_view function, int exception,
                                       const Texts& arguments) const {
  return call(format("{}<{}>", function, exception + 1), scope_.with_errors(arguments));
}

// A conversion of an array to a view, or the view of a part of its complex numbers.
std::string ExpressionPrinter::array_cast(const Expression& cast, const Texts& operands) const {
  const auto* const part = std::get_if<Operation>(&cast.detail);
  if (part == nullptr) return call(cpp_type(cast.type), operands);
  return call(*part == Operation::kReal ? "npp::real_parts" : "npp::imaginary_parts",
              {format("{}({})", cpp_type(cast.operands.front().type), operands.front())});
}

// "npp::part(view, i, npp::All{})".
std::string ExpressionPrinter::view(const Expression& expression, Texts arguments) const {
  arguments.front() =
      format("{}({})", cpp_type(expression.operands.front().type), arguments.front());
  if (expression.exception < 0) return call("npp::part", arguments);
  return checked("npp::checked_part", expression.exception, arguments);
}

// "npp::reshaped(npp::View<double, 2>(array), n, 2)".
std::string ExpressionPrinter::reshaped(const Expression& expression, Texts arguments) const {
  arguments.front() =
      format("{}({})", cpp_type(expression.operands.front().type), arguments.front());
  const auto n_sizes = static_cast<std::ptrdiff_t>(expression.type.n_dimensions);
  std::rotate(arguments.begin() + 1, arguments.begin() + 1 + n_sizes, arguments.end());
  return call("npp::reshaped", arguments);
}

// "npp::copy_elements(target, npp::View<const double, 1>(source))".
std::string ExpressionPrinter::elements(const Expression& expression, const std::string& verb,
                                        Texts arguments) const {
  arguments.back() = format("{}({})", cpp_type(expression.operands.back().type), arguments.back());
  if (expression.exception < 0) return call(format("npp::{}_elements", verb), arguments);
  return checked("npp::checked_" + verb, expression.exception, arguments);
}

// "npp::atomic_add(a.at(i, j), value)"; only in device kernels, which check no indices.
std::string ExpressionPrinter::atomic(const Expression& expression, const Texts& operands) const {
  NPP_ASSERT(expression.exception < 0, std::to_string(expression.exception));
  const auto& update = detail<AtomicUpdate>(expression);
  const declare::AtomicInfo& row = declare::info(update.function);
  const auto first_value = operands.end() - row.n_values;
  Texts arguments = {
      element(update.array, Texts(operands.begin(), first_value), expression.exception)};
  arguments.insert(arguments.end(), first_value, operands.end());
  return call(format("npp::{}", row.name), arguments);
}

// "npp::print(\"...\", x, y)": octal escapes end after three digits.
std::string ExpressionPrinter::printed(const std::string& text, Texts operands) const {
  std::string literal;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    const bool is_plain = code >= 0x20 && code < 0x7f && c != '"' && c != '\\' && c != '?';
    if (is_plain) {
      literal += c;
      continue;
    }
    for (const int shift : {6, 3, 0}) {
      if (shift == 6) literal += '\\';
      literal += static_cast<char>('0' + ((code >> shift) & 7));
    }
  }
  operands.insert(operands.begin(), format("\"{}\"", literal));
  return call("npp::print", operands);
}

std::string ExpressionPrinter::constant(const Expression& expression) const {
  return print_constant(detail<ConstantValue>(expression), expression.type.dtype);
}

std::string ExpressionPrinter::local(int index) const {
  return scope_.locals.at(static_cast<std::size_t>(index));
}

std::string ExpressionPrinter::call(std::string_view function, const Texts& arguments) const {
  return format("{}({})", function, base::join(arguments, ", "));
}

std::string ExpressionPrinter::select(const Texts& operands) const {
  return format("({} ? {} : {})", operands[0], operands[1], operands[2]);
}

std::string ExpressionPrinter::logical(const Expression& expression, const Texts& operands) const {
  const bool is_and = expression.kind == ExpressionKind::kAnd;
  if (scope_.is_scalar || operands.size() != 2 || !analysis::is_plain_test(expression))
    return format("({})", base::join(operands, is_and ? " && " : " || "));
  return call(is_and ? "npp::bitwise_and" : "npp::bitwise_or", operands);
}

}  // namespace numpy_plugin::emit
