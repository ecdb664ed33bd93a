// printf in kernels: C conversions, each done by the host's snprintf.
#include "simulator/execute/run/syscalls.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "simulator/execute/checks/access.hpp"
#include "simulator/execute/checks/poison_flow.hpp"
#include "simulator/execute/state/operands.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr int kWidest = 4096;  // per conversion: an excessive width must not exhaust memory

template <class T>
std::string formatted(const std::string& conversion, T value) {
  const int n_characters = std::snprintf(nullptr, 0, conversion.c_str(), value);
  std::string text(static_cast<std::size_t>(std::max(n_characters, 0)) + 1, '\0');
  std::snprintf(text.data(), text.size(), conversion.c_str(), value);
  text.pop_back();
  return text;
}

class Printer {
 public:
  Printer(ThreadReader& reader, std::string_view format, std::uint64_t arguments)
      : reader_(reader), format_(format), next_argument_(arguments) {}

  Printed print() {
    while (at_ < format_.size()) {
      const std::size_t percent = std::min(format_.find('%', at_), format_.size());
      printed_.text += format_.substr(at_, percent - at_);
      at_ = percent;
      if (at_ < format_.size()) print_conversion();
    }
    return printed_;
  }

 private:
  template <class T>
  T take() {
    next_argument_ = (next_argument_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    const T value = reader_.read<T>(next_argument_);
    next_argument_ += sizeof(T);
    ++printed_.n_arguments;
    return value;
  }

  std::string_view take_while(std::string_view characters) {
    const std::size_t end = std::min(format_.find_first_not_of(characters, at_), format_.size());
    const std::string_view taken = format_.substr(at_, end - at_);
    at_ = end;
    return taken;
  }

  // Digits or *; empty without a number.
  std::string take_number() {
    if (at_ < format_.size() && format_[at_] == '*') {
      ++at_;
      return std::to_string(std::clamp(take<std::int32_t>(), -kWidest, kWidest));
    }
    const std::string_view digits = take_while("0123456789");
    if (digits.size() > 4) return std::to_string(kWidest);
    return std::string(digits);
  }

  void print_conversion() {
    const std::size_t begin = at_++;
    std::string conversion = "%";
    conversion += take_while("-+ #0");
    conversion += take_number();
    if (at_ < format_.size() && format_[at_] == '.') {
      ++at_;
      const std::string precision = take_number();
      if (!precision.starts_with('-')) conversion += "." + precision;
    }
    const std::string_view length = take_while("hlLqjzt");
    if (at_ == format_.size()) {
      printed_.text += format_.substr(begin);
      return;
    }
    const char letter = format_[at_++];
    if (!print_argument(conversion, length, letter)) {
      printed_.text += format_.substr(begin, at_ - begin);
    }
  }

  // False for an invalid conversion.
  bool print_argument(const std::string& conversion, std::string_view length, char letter) {
    constexpr std::string_view kIntegers = "diuoxX";
    constexpr std::string_view kFloats = "fFeEgGaA";
    if (letter == '%') {
      printed_.text += '%';
    } else if (letter == 'c') {
      printed_.text += formatted(conversion + letter, take<std::int32_t>());
    } else if (letter == 's') {
      const auto address = take<std::uint64_t>();
      const std::string text = address == 0 ? "(null)" : reader_.read_text(address);
      printed_.text += formatted(conversion + letter, text.c_str());
    } else if (letter == 'p') {
      const auto address = take<std::uint64_t>();
      printed_.text += formatted(conversion + letter, reinterpret_cast<const void*>(address));
    } else if (kFloats.find(letter) != std::string_view::npos) {
      printed_.text += formatted(conversion + letter, take<double>());
    } else if (kIntegers.find(letter) != std::string_view::npos) {
      print_integer(conversion, length, letter);
    } else {
      return false;
    }
    return true;
  }

  void print_integer(const std::string& conversion, std::string_view length, char letter) {
    const bool is_small = length.empty() || length.front() == 'h';
    if (is_small) {
      printed_.text +=
          formatted(conversion + std::string(length.substr(0, 2)) + letter, take<std::int32_t>());
    } else {
      printed_.text += formatted(format("{}ll{}", conversion, letter),
                                 static_cast<long long>(take<std::int64_t>()));
    }
  }

  ThreadReader& reader_;
  std::string_view format_;
  std::size_t at_ = 0;
  std::uint64_t next_argument_;
  Printed printed_;
};

}  // namespace

const std::byte* ThreadReader::place(std::uint64_t address, std::uint32_t n_bytes) {
  std::uint64_t offset = address;
  if (warp_.poison != nullptr && take_window(&offset) == Space::kLocal) {
    warp_.poison->check_local(warp_, instruction_, lane_, offset, n_bytes, "is printed");
  }
  std::uint64_t addresses[kWarpSize] = {};
  std::byte* pointers[kWarpSize] = {};
  addresses[lane_] = address;
  resolve(warp_, instruction_,
          {.addresses = addresses, .lanes = lane_bit(lane_), .n_bytes = n_bytes, .reads = true},
          pointers);
  return pointers[lane_];
}

std::string ThreadReader::read_text(std::uint64_t address) {
  std::string text;
  while (const char character = read<char>(address++)) text += character;
  return text;
}

Printed print_format(ThreadReader& reader, std::uint64_t format, std::uint64_t arguments) {
  const std::string text = reader.read_text(format);
  return Printer(reader, text, arguments).print();
}

}  // namespace numpy_plugin::sim
