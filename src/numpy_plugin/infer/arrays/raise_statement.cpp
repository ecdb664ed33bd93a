#include "numpy_plugin/infer/arrays/element_loop.hpp"

#include <utility>

#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"

namespace numpy_plugin::declare {
namespace {

std::vector<MessagePart> message_parts(const std::string& message) {
  const std::string marker = "{}";
  std::vector<MessagePart> parts;
  std::size_t begin = 0;
  for (std::size_t at = message.find(marker); at != std::string::npos;
       at = message.find(marker, begin)) {
    parts.push_back({message.substr(begin, at - begin), false, base::DType::kInt64, ""});
    parts.push_back({"", true, base::DType::kInt64, ""});
    begin = at + marker.size();
  }
  parts.push_back({message.substr(begin), false, base::DType::kInt64, ""});
  return parts;
}

}  // namespace

void raise_where(FunctionContext& context, Expression condition, const std::string& message,
                 std::vector<Expression> values, const SyntaxNode& node,
                 const std::string& type_name) {
  const SourceSpan where = place(context, node);
  RaisedException raised;
  raised.type_name = type_name;
  raised.arguments = {message_parts(message)};
  raised.place = where;
  raised.file = context.syntax.source.file;
  raised.function = context.syntax.name;
  Statement raise{StatementKind::kRaise, where, 0, {}, std::move(values), {}, {}, {}};
  raise.exception = exception(context, std::move(raised));
  Statement test{StatementKind::kIf, where, 0, std::move(condition), {}, {}, {}, {}};
  test.body.push_back(std::move(raise));
  add_statement(context, std::move(test));
}

}  // namespace numpy_plugin::declare
