// Prints a typed kernel: one line per statement, operations by name, casts by type name.
#include "numpy_plugin/infer/core/kernel_text.hpp"

#include <sstream>

#include "numpy_plugin/infer/core/constants.hpp"

namespace numpy_plugin::declare {
namespace {

class Printer {
 public:
  explicit Printer(const PythonKernel& kernel) : kernel_(kernel) {}

  std::string print() {
    for (const Function& function : kernel_.device_functions) print(function);
    print(kernel_.function);
    return std::move(out_).str();
  }

 private:
  void print(const Function& function) {
    function_ = &function;
    out_ << text(function.result) << " " << function.name << "(";
    for (std::size_t i = 0; i < function.n_parameters; ++i) {
      const Local& local = function.locals[i];
      out_ << (i == 0 ? "" : ", ") << text(local.type) << " " << local.name;
    }
    out_ << ")\n";
    for (std::size_t i = function.n_parameters; i < function.locals.size(); ++i) {
      out_ << "  " << text(function.locals[i]) << " " << name(static_cast<int>(i)) << "\n";
    }
    print(function.body, "  ");
  }

  // "float32[4]"; for a view "float32[:]".
  static std::string text(const Local& local) {
    if (local.storage.kind == ArrayStorage::Kind::kView) return declare::text(local.type);
    std::string sizes;
    for (const std::int64_t size : local.storage.sizes) {
      sizes += (sizes.empty() ? "" : ",") + std::to_string(size);
    }
    return format("{}[{}]", base::name(local.type.dtype), sizes);
  }
  static std::string text(const ValueType& type) { return declare::text(type); }

  // Two locals may have the same name: later ones get their number appended.
  std::string name(int local) const {
    const auto index = static_cast<std::size_t>(local);
    const std::string& own = function_->locals[index].name;
    for (std::size_t i = 0; i < index; ++i) {
      if (function_->locals[i].name == own || own == "temporary") {
        return format("{}_{}", own, local);
      }
    }
    return own;
  }

  void print(const std::vector<Statement>& block, const std::string& indentation) {
    for (const Statement& statement : block) print(statement, indentation);
  }

  void print(const Statement& statement, const std::string& indentation) {
    out_ << indentation << head(statement) << "\n";
    print(statement.body, indentation + "  ");
    if (statement.orelse.empty()) return;
    out_ << indentation << "else\n";
    print(statement.orelse, indentation + "  ");
  }

  std::string head(const Statement& statement) const {
    const std::string value = statement.value ? expression(*statement.value) : "";
    switch (statement.kind) {
      case StatementKind::kAssign:
        return format("{} = {}", name(statement.local), value);
      case StatementKind::kStore:
        return format("{}[{}] = {}", name(statement.local), list(statement.indices), value);
      case StatementKind::kIf:
        return "if " + value;
      case StatementKind::kWhile:
        return "while " + value;
      case StatementKind::kForRange:
        return format("{}{} in range({})",
                      statement.fold == Fold::kSum ? "add pairwise for " : "for ",
                      name(statement.local), list(statement.range));
      case StatementKind::kBreak:
        return "break";
      case StatementKind::kContinue:
        return "continue";
      case StatementKind::kReturn:
        return value.empty() ? "return" : "return " + value;
      case StatementKind::kEvaluate:
        return value;
      case StatementKind::kRaise:
        return format("raise exception_{}({})", statement.exception, list(statement.indices));
    }
    return "";
  }

  std::string list(const std::vector<Expression>& expressions) const {
    std::string result;
    for (const Expression& item : expressions) {
      result += (result.empty() ? "" : ", ") + expression(item);
    }
    return result;
  }

  std::string expression(const Expression& node) const {
    const std::string operands = format("({})", list(node.operands));
    switch (node.kind) {
      case ExpressionKind::kConstant:
        return constant(node);
      case ExpressionKind::kLocal:
        return name(detail<LocalReference>(node).local);
      case ExpressionKind::kCall:
        return std::string(info(detail<Operation>(node)).name) + operands;
      case ExpressionKind::kCast:
        return text(node.type) + operands;
      case ExpressionKind::kSelect:
        return "select" + operands;
      case ExpressionKind::kAnd:
        return "and" + operands;
      case ExpressionKind::kOr:
        return "or" + operands;
      case ExpressionKind::kTuple:
        return "tuple" + operands;
      case ExpressionKind::kTupleItem:
        return format("item_{}{}", detail<TupleItem>(node).item, operands);
      case ExpressionKind::kLoad:
        return format("{}[{}]", name(detail<ElementLoad>(node).array), list(node.operands));
      case ExpressionKind::kArraySize:
        return size(detail<ArraySize>(node));
      case ExpressionKind::kView:
        return "view" + operands;
      case ExpressionKind::kTranspose:
        return "transpose" + operands;
      case ExpressionKind::kReshape:
        return "reshape" + operands;
      case ExpressionKind::kSlice:
        return "slice" + operands;
      case ExpressionKind::kFillElements:
        return "fill" + operands;
      case ExpressionKind::kCopyElements:
        return "copy" + operands;
      case ExpressionKind::kMoveElements:
        return "move" + operands;
      case ExpressionKind::kSortElements:
        return "sort" + operands;
      case ExpressionKind::kDynamicArray:
        return "shared memory";
      case ExpressionKind::kZeroArray:
        return "zeros";
      case ExpressionKind::kScratchArray:
        return "scratch" + operands;
      case ExpressionKind::kCallFunction:
        return call(detail<DeviceFunctionCall>(node)) + operands;
      case ExpressionKind::kCallExternal:
        return call(detail<ExternalFunctionCall>(node)) + operands;
      case ExpressionKind::kAtomic:
        return update(detail<AtomicUpdate>(node), list(node.operands));
      case ExpressionKind::kPrint:
        return "print" + operands;
      case ExpressionKind::kThread:
        return std::string(info(detail<ThreadFunction>(node)).python_name) + operands;
    }
    return "";
  }

  std::string size(const ArraySize& size) const {
    return format("{}.shape[{}]", name(size.array), size.axis);
  }

  std::string call(const DeviceFunctionCall& call) const {
    const Function& callee = kernel_.device_functions[static_cast<std::size_t>(call.function)];
    return format("{}_{}", callee.name, call.function);
  }

  std::string call(const ExternalFunctionCall& call) const {
    return kernel_.external_functions[static_cast<std::size_t>(call.function)].name;
  }

  std::string update(const AtomicUpdate& update, const std::string& operands) const {
    return format("{}({}, {})", info(update.function).name, name(update.array), operands);
  }

  std::string constant(const Expression& node) const {
    const ConstantValue& value = detail<ConstantValue>(node);
    const std::string type = text(node.type);
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      if (type == "bool") return *number ? "true" : "false";
      return format("{}:{}", type, *number);
    }
    if (const auto* number = std::get_if<std::uint64_t>(&value)) {
      return format("{}:{}", type, *number);
    }
    if (const auto* number = std::get_if<double>(&value)) {
      return format("{}:{}", type, to_text(*number));
    }
    const auto& number = std::get<std::complex<double>>(value);
    return format("{}:{},{}", type, to_text(number.real()), to_text(number.imag()));
  }

  const PythonKernel& kernel_;
  const Function* function_ = nullptr;
  std::ostringstream out_;
};

}  // namespace

std::string text(const ValueType& type) {
  switch (type.kind) {
    case ValueType::Kind::kNone:
      return "none";
    case ValueType::Kind::kScalar:
      return std::string(base::name(type.dtype));
    case ValueType::Kind::kArray: {
      std::string result = format("{}[:", base::name(type.dtype));
      for (int axis = 1; axis < type.n_dimensions; ++axis) result += ",:";
      return result + "]";
    }
    case ValueType::Kind::kTuple:
      break;
  }
  std::string result;
  for (const ValueType& item : type.items) result += (result.empty() ? "" : ", ") + text(item);
  return format("({})", result);
}

std::string text(const TypedKernel& kernel) {
  const std::string head = format("{}: {}\n", kernel.name, kernel.signature.text());
  if (const auto* cpp = std::get_if<CppKernel>(&kernel.body)) return head + cpp->body;
  return head + Printer(std::get<PythonKernel>(kernel.body)).print();
}

}  // namespace numpy_plugin::declare
