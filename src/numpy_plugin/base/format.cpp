// Filling the places of patterns: one function for every message.
#include "numpy_plugin/base/format.hpp"

#include <charconv>
#include <iterator>

namespace numpy_plugin::base {

FormatArgument::FormatArgument(long long value)
    : text_(own_, std::to_chars(own_, std::end(own_), value).ptr) {}

FormatArgument::FormatArgument(unsigned long long value)
    : text_(own_, std::to_chars(own_, std::end(own_), value).ptr) {}

std::string fill_places(std::string_view pattern, std::initializer_list<FormatArgument> arguments) {
  std::size_t size = pattern.size();
  for (const FormatArgument& argument : arguments) size += argument.text().size();
  std::string text;
  text.reserve(size);
  for (const FormatArgument& argument : arguments) {
    const std::size_t place = find_place(pattern);
    text.append(pattern, 0, place).append(argument.text());
    pattern.remove_prefix(place + 2);
  }
  return text.append(pattern);
}

}  // namespace numpy_plugin::base
