// One exception per access, with its place; checked by templates/npp/core/bounds.hpp.
#include "numpy_plugin/infer/statements/kernel_checks.hpp"

#include <algorithm>
#include <utility>

#include "numpy_plugin/system/settings.hpp"

namespace numpy_plugin::declare {
namespace {

// "index 7 is out of bounds for axis 0 with size 5", as in NumPy.
std::vector<MessagePart> message() {
  const auto text = [](const char* words) {
    return MessagePart{words, false, base::DType::kInt64, ""};
  };
  const MessagePart value{"", true, base::DType::kInt64, ""};
  return {text("index "),      value, text(" is out of bounds for axis "), value,
          text(" with size "), value};
}

// "an array of size 3 does not fit axis 0 with size 4".
std::vector<MessagePart> fit_message() {
  std::vector<MessagePart> parts = message();
  parts[0].text = "an array of size ";
  parts[2].text = " does not fit axis ";
  return parts;
}

class BoundsChecks {
 public:
  BoundsChecks(PythonKernel& kernel, const std::vector<SourceText>& sources)
      : kernel_(kernel), sources_(sources) {}

  void add_to(Function& function) {
    function_ = function.name;
    add_to(function.body);
  }

 private:
  void add_to(std::vector<Statement>& statements) {
    for (Statement& statement : statements) {
      if (statement.value) add_to(*statement.value);
      for (Expression& index : statement.indices) add_to(index);
      for (Expression& bound : statement.range) add_to(bound);
      if (statement.kind == StatementKind::kStore) statement.exception = exception(statement.place);
      add_to(statement.body);
      add_to(statement.orelse);
    }
  }

  void add_to(Expression& expression) {
    for (Expression& operand : expression.operands) add_to(operand);
    if (has_index(expression)) expression.exception = exception(expression.place);
    if (takes_elements(expression)) {
      expression.exception = exception(expression.place, "ValueError", fit_message());
    }
  }

  // Slices are clipped: only a view with an index among them can be out of bounds.
  static bool has_index(const Expression& expression) {
    if (expression.kind != ExpressionKind::kView) return expression.kind == ExpressionKind::kLoad;
    return std::any_of(expression.operands.begin() + 1, expression.operands.end(),
                       [](const Expression& item) { return item.kind != ExpressionKind::kSlice; });
  }

  static bool takes_elements(const Expression& expression) {
    return expression.kind == ExpressionKind::kCopyElements ||
           expression.kind == ExpressionKind::kMoveElements;
  }

  int exception(const SourceSpan& place, const char* type_name = "IndexError",
                std::vector<MessagePart> text = message()) {
    RaisedException raised;
    raised.type_name = type_name;
    raised.arguments = {std::move(text)};
    raised.place = place;
    raised.file = sources_.at(static_cast<std::size_t>(place.source)).file;
    raised.function = function_;
    kernel_.exceptions.push_back(std::move(raised));
    return static_cast<int>(kernel_.exceptions.size()) - 1;
  }

  PythonKernel& kernel_;
  const std::vector<SourceText>& sources_;
  std::string function_;
};

}  // namespace

bool is_debug_mode() { return system::setting_flag(system::Setting::kDebug); }

void check_bounds(PythonKernel& kernel, const std::vector<SourceText>& sources) {
  BoundsChecks checks(kernel, sources);
  for (Function& function : kernel.device_functions) checks.add_to(function);
  checks.add_to(kernel.function);
}

}  // namespace numpy_plugin::declare
