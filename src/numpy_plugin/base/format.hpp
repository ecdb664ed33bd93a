// Text from a pattern with places for arguments: messages, reports and printed C++.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

namespace numpy_plugin::base {

// Position of the next place of a pattern, npos where it has no more.
constexpr std::size_t find_place(std::string_view pattern) { return pattern.find("{}"); }

// A pattern with n places: `{}` is one, every other brace is text, as patterns print C++. Another
// number of places does not compile.
template <std::size_t n>
struct FormatPattern {
  consteval FormatPattern(const char* pattern) : text(pattern) {
    std::size_t n_places = 0;
    for (std::string_view rest = text; find_place(rest) != rest.npos; ++n_places) {
      rest.remove_prefix(find_place(rest) + 2);
    }
    if (n_places != n) throw "a pattern has one {} for each argument";
  }

  std::string_view text;
};

// A text, which is not copied, a character or an integer. Enumerators and bools have no text.
class FormatArgument {
 public:
  explicit FormatArgument(std::string_view text) : text_(text) {}
  explicit FormatArgument(char character) : text_(own_, 1) { own_[0] = character; }
  explicit FormatArgument(long long value);
  explicit FormatArgument(unsigned long long value);
  template <class Integer>
  requires(std::is_integral_v<Integer> &&
           !std::is_same_v<Integer, bool>) explicit FormatArgument(Integer value)
      : FormatArgument(static_cast<std::conditional_t<std::is_signed_v<Integer>, long long,
                                                      unsigned long long>>(value)) {}
  FormatArgument(const FormatArgument&) = delete;

  std::string_view text() const { return text_; }

 private:
  std::string_view text_;
  char own_[20];  // a character, or an integer's digits
};

std::string fill_places(std::string_view pattern, std::initializer_list<FormatArgument> arguments);

// The pattern with the arguments in its places. An object, so that no call finds std::format by its
// arguments.
struct Format {
  template <class... Arguments>
  [[nodiscard]] std::string operator()(FormatPattern<sizeof...(Arguments)> pattern,
                                       const Arguments&... arguments) const {
    return fill_places(pattern.text, {FormatArgument(arguments)...});
  }
};
inline constexpr Format format;

}  // namespace numpy_plugin::base

namespace numpy_plugin {
using base::format;  // for the messages of every layer
}  // namespace numpy_plugin
