// Initializers: numbers become bytes, symbols remain names.
#include "simulator/assembly/initializer.hpp"

#include <bit>
#include <string>
#include <string_view>
#include <utility>

#include "simulator/assembly/literal.hpp"
#include "simulator/assembly/parse.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::uint32_t kAddressBytes = 8;

[[noreturn]] void fail_value(int line, const Variable& variable, std::string_view problem) {
  throw PtxError(line, "a value of " + quoted(variable.name) + " " + std::string(problem) + " ." +
                           std::string(spelling(variable.type)));
}

bool fits(const Literal& literal, std::uint32_t n_bytes) {
  if (n_bytes >= sizeof(literal.bits)) return true;
  const std::uint64_t limit = std::uint64_t{1} << (8 * n_bytes);
  return literal.is_negative ? literal.bits == 0 || literal.bits >= 0 - limit / 2
                             : literal.bits < limit;
}

// The value's bits in the variable's type.
std::uint64_t convert(const Literal& literal, const Variable& variable, int line) {
  const std::uint32_t n_bytes = size_bytes(variable.type);
  if (literal.kind == Literal::Kind::kInteger) {
    if (kind(variable.type) == TypeKind::kFloat)
      fail_value(line, variable, "is not a float; expected a");
    if (!fits(literal, n_bytes)) fail_value(line, variable, "does not fit in a");
    return literal.bits;
  }
  const bool is_float32 = literal.kind == Literal::Kind::kFloat32;
  if (n_bytes == sizeof(float) && !is_float32) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(literal.bits)));
  }
  if (n_bytes != (is_float32 ? sizeof(float) : sizeof(double))) {
    fail_value(line, variable, "is a float of another size; expected a");
  }
  return literal.bits;
}

class InitializerParser {
 public:
  InitializerParser(Lexer& lexer, Variable& variable, ModuleUse& use)
      : lexer_(lexer), variable_(variable), use_(use) {}

  void parse_all() {
    if (lexer_.accept("{")) {
      do {
        parse_value();
      } while (lexer_.accept(","));
      lexer_.expect("}", "or ',' after a value");
    } else {
      parse_value();
    }
    check_address_is_whole(lexer_.line());
    if (variable_.n_bytes == 0) variable_.n_bytes = offset_;
  }

 private:
  void parse_value() {
    const bool is_open_array = variable_.is_array && variable_.n_bytes == 0;
    if (!is_open_array && offset_ >= variable_.n_bytes) {
      throw PtxError(lexer_.line(), quoted(variable_.name) + " has more values than its " +
                                        std::to_string(variable_.n_bytes) + " bytes hold");
    }
    const int line = lexer_.line();
    if (!is_literal(lexer_)) {
      add_whole_address(parse_address(), line);
    } else if (const Literal literal = parse_literal(lexer_); lexer_.accept("(")) {
      add_byte_of_address(literal, line);
    } else {
      add_number(literal, line);
    }
    offset_ += size_bytes(variable_.type);
  }

  void add_number(const Literal& literal, int line) {
    check_address_is_whole(line);
    std::uint64_t bits = convert(literal, variable_, line);
    const char above = literal.kind == Literal::Kind::kInteger && literal.is_negative ? -1 : 0;
    std::string& bytes = current_bytes();
    for (std::uint32_t byte = 0; byte < size_bytes(variable_.type); ++byte) {
      bytes += byte < sizeof(bits) ? static_cast<char>(bits & 0xff) : above;
      bits >>= 8;
    }
  }

  // "f", "f+8", "generic(f)+8"
  Initializer parse_address() {
    Initializer initializer;
    initializer.offset = offset_;
    const int line = lexer_.line();
    initializer.is_generic = lexer_.accept("generic");
    if (initializer.is_generic) lexer_.expect("(", "after 'generic'");
    const std::string_view symbol = lexer_.expect_name("a number or the name of a symbol");
    if (initializer.is_generic) lexer_.expect(")", "after the name of a symbol");
    initializer.symbol = symbol;
    initializer.addend = parse_addend();
    use_.symbols.emplace(symbol, line);
    return initializer;
  }

  void add_whole_address(Initializer address, int line) {
    check_address_is_whole(line);
    if (size_bytes(variable_.type) != kAddressBytes) {
      fail_value(line, variable_, "is an address of 8 bytes; expected a");
    }
    variable_.initializers.push_back(std::move(address));
  }

  // Packed structures contain addresses as eight bytes: 0xFF(generic(f)), 0xFF00(generic(f)), ...
  void add_byte_of_address(const Literal& mask, int line) {
    Initializer address = parse_address();
    lexer_.expect(")", "after the byte of an address");
    const bool is_next = size_bytes(variable_.type) == 1 && mask.kind == Literal::Kind::kInteger &&
                         mask.bits == std::uint64_t{0xff} << (8 * n_address_bytes_);
    if (!is_next) fail_address_bytes(line);
    if (n_address_bytes_ == 0) {
      variable_.initializers.push_back(std::move(address));
    } else {
      const Initializer& begun = variable_.initializers.back();
      if (begun.symbol != address.symbol || begun.addend != address.addend ||
          begun.is_generic != address.is_generic) {
        fail_address_bytes(line);
      }
    }
    n_address_bytes_ = (n_address_bytes_ + 1) % kAddressBytes;
  }

  void check_address_is_whole(int line) const {
    if (n_address_bytes_ != 0) fail_address_bytes(line);
  }

  [[noreturn]] void fail_address_bytes(int line) const {
    throw PtxError(line, quoted(variable_.name) +
                             " has bytes of an address; expected all eight of one, lowest first");
  }

  std::int64_t parse_addend() {
    if (!lexer_.accept("+") && !lexer_.is("-")) return 0;
    const int line = lexer_.line();
    const Literal literal = parse_literal(lexer_);
    if (literal.kind != Literal::Kind::kInteger) {
      throw PtxError(line, "a float is added to an address; expected an integer");
    }
    return static_cast<std::int64_t>(literal.bits);
  }

  std::string& current_bytes() {
    std::vector<Initializer>& parts = variable_.initializers;
    if (parts.empty() || !parts.back().symbol.empty()) {
      parts.emplace_back();
      parts.back().offset = offset_;
    }
    return parts.back().bytes;
  }

  Lexer& lexer_;
  Variable& variable_;
  ModuleUse& use_;
  std::uint64_t offset_ = 0;
  std::uint32_t n_address_bytes_ = 0;  // of an address given byte by byte
};

}  // namespace

void parse_initializers(Lexer& lexer, Variable& variable, ModuleUse& use) {
  InitializerParser(lexer, variable, use).parse_all();
}

}  // namespace numpy_plugin::sim
