// Reads entries token by token: names, numbers, dotted words and punctuation.
#include "numpy_plugin/jit/nvrtc/ptx_signature.hpp"

#include <cxxabi.h>

#include <cctype>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/text.hpp"

namespace numpy_plugin::jit {
namespace {

[[noreturn]] void fail(const std::string& found) {
  throw base::Error(base::ErrorKind::kRuntime,
                    "the parameters of a kernel can't be read from its PTX: found " + found);
}

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%' ||
         c == '.';
}

class PtxWords {
 public:
  explicit PtxWords(std::string_view text) : text_(text) {}

  // The next token; empty at the end.
  std::string_view next() {
    skip_spaces();
    if (at_ >= text_.size()) return {};
    std::size_t end = at_ + 1;
    if (is_word_character(text_[at_])) {
      while (end < text_.size() && is_word_character(text_[end])) ++end;
    }
    const std::string_view word = text_.substr(at_, end - at_);
    at_ = end;
    return word;
  }

  std::string_view expect(std::string_view wanted) {
    const std::string_view word = next();
    if (word != wanted) fail(format("'{}' instead of '{}'", word, wanted));
    return word;
  }

 private:
  void skip_spaces() {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(text_[at_]))) {
        ++at_;
      } else if (text_.substr(at_, 2) == "//") {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        return;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::size_t read_number(std::string_view word) {
  std::size_t number = 0;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || stop != word.data() + word.size()) {
    fail(format("'{}' instead of a number", word));
  }
  return number;
}

// Whether a match is a whole word outside of comments.
bool is_directive(std::string_view ptx, std::size_t at, std::size_t size) {
  const std::size_t end_of_line_before = at == 0 ? std::string_view::npos : ptx.rfind('\n', at - 1);
  const std::size_t line =
      end_of_line_before == std::string_view::npos ? 0 : end_of_line_before + 1;
  const bool is_word = (at == 0 || !is_word_character(ptx[at - 1])) &&
                       (at + size < ptx.size() && !is_word_character(ptx[at + size]));
  return is_word && ptx.substr(line, at - line).find("//") == std::string_view::npos;
}

// Size of a type such as ".u64"; 0 for other words.
std::size_t type_bytes(std::string_view word) {
  if (word.size() < 3 || word[0] != '.') return 0;
  if (word == ".pred") return 1;
  if (std::string_view("busf").find(word[1]) == std::string_view::npos) return 0;
  std::size_t n_bits = 0;
  const auto [stop, error] = std::from_chars(word.data() + 2, word.data() + word.size(), n_bits);
  return error == std::errc() && stop == word.data() + word.size() ? n_bits / 8 : 0;
}

// Parses the text after ".param" up to and including "," or ")", which is stored in `mark`.
KernelParameter read_parameter(PtxWords& words, std::string_view& mark) {
  KernelParameter parameter;
  std::size_t alignment = 0;
  for (mark = words.next(); mark != "," && mark != ")"; mark = words.next()) {
    if (mark.empty()) fail("the end of the text");
    if (mark == ".align") {
      const std::size_t n = read_number(words.next());
      if (!parameter.is_pointer) alignment = n;  // else it is that of the pointee
    } else if (mark == ".ptr") {
      parameter.is_pointer = true;
    } else if (mark == "[") {
      parameter.is_array = true;
      parameter.n_bytes *= read_number(words.next());
      words.expect("]");
    } else if (const std::size_t n_bytes = type_bytes(mark); n_bytes > 0) {
      parameter.type = mark.substr(1);
      parameter.n_bytes = n_bytes;
      parameter.alignment = n_bytes;
    }
  }
  if (parameter.type.empty()) fail("a parameter without a type");
  if (alignment > 0) parameter.alignment = alignment;
  return parameter;
}

void place(std::vector<KernelParameter>& parameters) {
  std::size_t end = 0;
  for (KernelParameter& parameter : parameters) {
    parameter.offset = (end + parameter.alignment - 1) / parameter.alignment * parameter.alignment;
    end = parameter.offset + parameter.n_bytes;
  }
}

// Parses the text after "(", up to ")".
std::vector<KernelParameter> read_parameters(PtxWords& words) {
  std::vector<KernelParameter> parameters;
  for (std::string_view mark = words.next(); mark != ")";) {
    if (mark != ".param") fail(format("'{}' instead of '.param'", mark));
    parameters.push_back(read_parameter(words, mark));
    if (mark == ",") mark = words.next();
  }
  place(parameters);
  return parameters;
}

KernelSignature read_entry(PtxWords& words) {
  KernelSignature kernel;
  kernel.name = words.next();
  // Otherwise there are no parameters, and the token begins the body or a directive.
  if (words.next() == "(") kernel.parameters = read_parameters(words);
  return kernel;
}

// nullopt for a function without a body.
std::optional<FunctionSignature> read_function(PtxWords& words) {
  FunctionSignature function;
  std::string_view mark = words.next();
  if (mark == "(") {
    function.results = read_parameters(words);
    mark = words.next();
  }
  function.name = mark;
  mark = words.next();
  if (mark == "(") {
    function.parameters = read_parameters(words);
    mark = words.next();
  }
  return mark == ";" ? std::nullopt : std::optional(std::move(function));
}

// Calls `read` with the tokens after each directive.
template <class Read>
void read_each(std::string_view ptx, std::string_view directive, const Read& read) {
  for (std::size_t at = ptx.find(directive); at != std::string_view::npos;
       at = ptx.find(directive, at + 1)) {
    if (!is_directive(ptx, at, directive.size())) continue;
    PtxWords words(ptx.substr(at + directive.size()));
    read(words);
  }
}

}  // namespace

std::size_t KernelSignature::n_argument_bytes() const {
  return parameters.empty() ? 0 : parameters.back().offset + parameters.back().n_bytes;
}

std::vector<KernelSignature> read_kernel_signatures(std::string_view ptx) {
  std::vector<KernelSignature> kernels;
  read_each(ptx, ".entry", [&](PtxWords& words) { kernels.push_back(read_entry(words)); });
  return kernels;
}

std::vector<FunctionSignature> read_function_signatures(std::string_view ptx) {
  std::vector<FunctionSignature> functions;
  read_each(ptx, ".func", [&](PtxWords& words) {
    if (auto function = read_function(words)) functions.push_back(std::move(*function));
  });
  return functions;
}

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text != nullptr ? text.get() : name;
}

std::string parameter_text(const KernelParameter& parameter) {
  if (parameter.operand) return parameter.operand->text();
  if (!parameter.cpp_type.empty()) {
    return parameter.is_array ? format("{} of {} bytes", parameter.cpp_type, parameter.n_bytes)
                              : parameter.cpp_type;
  }
  if (parameter.is_array) return format("{} bytes", parameter.n_bytes);
  return parameter.is_pointer ? parameter.type + " pointer" : parameter.type;
}

}  // namespace numpy_plugin::jit
