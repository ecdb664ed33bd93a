// Single-pass scanner for the words of a command.
#include "numpy_plugin/base/text.hpp"

namespace numpy_plugin::base {
namespace {

class WordReader {
 public:
  explicit WordReader(std::string_view text) : text_(text) {}

  std::vector<std::string> read() {
    for (; position_ < text_.size(); ++position_) {
      const char character = text_[position_];
      if (quote_ == '\0' && (character == ' ' || character == '\t' || character == '\n')) {
        end_word();
      } else {
        add(character);
      }
    }
    end_word();
    return std::move(words_);
  }

 private:
  void add(char character) {
    const bool is_quote = character == '\'' || character == '"';
    if (character == '\\' && quote_ != '\'' && position_ + 1 < text_.size()) {
      word_ += text_[++position_];
    } else if (is_quote && (quote_ == '\0' || quote_ == character)) {
      quote_ = quote_ == '\0' ? character : '\0';
    } else {
      word_ += character;
    }
    is_in_word_ = true;
  }

  void end_word() {
    if (is_in_word_) words_.push_back(std::move(word_));
    word_.clear();
    is_in_word_ = false;
  }

  std::string_view text_;
  std::size_t position_ = 0;
  char quote_ = '\0';
  bool is_in_word_ = false;
  std::string word_;
  std::vector<std::string> words_;
};

}  // namespace

std::vector<std::string> split_shell_words(std::string_view text) {
  return WordReader(text).read();
}

}  // namespace numpy_plugin::base
