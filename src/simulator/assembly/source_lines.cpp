// An inlined function's location refers to that of its call, which precedes it in the text.
#include "simulator/assembly/module_parts.hpp"

#include "simulator/assembly/lexer.hpp"

namespace numpy_plugin::sim {
namespace {

std::uint32_t parse_number(Lexer& lexer, std::string_view what) {
  return static_cast<std::uint32_t>(parse_count(lexer, what, INT32_MAX));
}

}  // namespace

void SourceLines::parse_file(Lexer& lexer) {
  lexer.take();
  const std::uint32_t number = parse_number(lexer, "the number of a file");
  if (!lexer.is(Token::Kind::kString)) lexer.fail_expected("the name of a file in quotes");
  const std::string_view quoted_name = lexer.take().text;
  files_[number] = quoted_name.substr(1, quoted_name.size() - 2);
  for (int n_left = 2; n_left > 0 && lexer.accept(","); --n_left) {  // its time and size
    if (!lexer.is(Token::Kind::kNumber)) lexer.fail_expected("a number");
    lexer.take();
  }
}

SourceLines::Point SourceLines::parse_point(Lexer& lexer) {
  Point point = {};
  point[0] = parse_number(lexer, "the number of a file");
  point[1] = parse_number(lexer, "the number of a line");
  point[2] = parse_number(lexer, "the number of a column");
  return point;
}

std::uint32_t SourceLines::parse_location(Lexer& lexer) {
  lexer.take();
  const Point point = parse_point(lexer);
  SourceLocation location{point[0], point[1], point[2]};
  if (lexer.accept(",")) {
    lexer.expect("function_name", "after the ',' of a .loc");
    lexer.expect_name("a label of a function's name");
    if (lexer.accept("+")) parse_number(lexer, "an offset from a label");
    lexer.expect(",", "after a function's name");
    lexer.expect("inlined_at", "after a function's name");
    const auto call = latest_.find(parse_point(lexer));
    if (call != latest_.end()) location.inlined_at = call->second;
  }
  if (location.line == 0) return kNoLocation;
  const auto index = static_cast<std::uint32_t>(locations_.size());
  locations_.push_back(location);
  latest_[point] = index;
  return index;
}

}  // namespace numpy_plugin::sim
