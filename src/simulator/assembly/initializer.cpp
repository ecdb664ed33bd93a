// Initializers: numbers become bytes, symbols remain names.
#include "simulator/assembly/module_parts.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <utility>

#include "simulator/assembly/lexer.hpp"
#include "simulator/assembly/parse.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::uint32_t kAddressBytes = 8;

[[noreturn]] void fail_value(int line, const Variable& variable, std::string_view problem) {
  throw PtxError(line, format("a value of {} {} .{}", quoted(variable.name), problem,
                              spelling(variable.type)));
}

// The value's bits in the variable's type; integers are cut to its size, as by CUDA's assembler.
std::uint64_t convert(const Literal& literal, const Variable& variable, int line) {
  const std::uint32_t n_bytes = size_bytes(variable.type);
  const TypeKind type_kind = kind(variable.type);
  if (literal.kind == Literal::Kind::kInteger) {
    if (type_kind == TypeKind::kFloat) fail_value(line, variable, "is not a float; expected a");
    return literal.bits;
  }
  if (type_kind != TypeKind::kFloat && type_kind != TypeKind::kBits)
    fail_value(line, variable, "is a float; expected a");
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
  InitializerParser(Lexer& lexer, Variable& variable, const std::vector<std::uint64_t>& dimensions,
                    ModuleUse& use)
      : lexer_(lexer), variable_(variable), dimensions_(dimensions), use_(use) {}

  void parse_all() {
    parse_part(0);
    if (variable_.n_bytes == 0) variable_.n_bytes = offset_;
  }

 private:
  // The part of a variable below `level` dimensions: a value, or a list in braces.
  void parse_part(std::size_t level) {
    if (level == dimensions_.size()) return parse_value();
    const std::uint64_t begin = offset_;
    const std::uint64_t n_elements = dimensions_[level];  // 0: open
    lexer_.expect("{", "before the values of an array");
    std::uint64_t n_values = 0;
    if (!lexer_.is("}")) {
      do {
        if (n_values == n_elements && n_elements != 0) fail_too_many(n_elements);
        parse_part(level + 1);
        ++n_values;
      } while (lexer_.accept(","));
    }
    lexer_.expect("}", "or ',' after a value");
    offset_ = begin + std::max(n_values, n_elements) * element_bytes(level);
  }

  [[noreturn]] void fail_too_many(std::uint64_t n_elements) const {
    throw PtxError(lexer_.line(), format("{} has more than {} values in braces",
                                         quoted(variable_.name), n_elements));
  }

  // Bytes of one element of a dimension.
  std::uint64_t element_bytes(std::size_t level) const {
    std::uint64_t n_bytes = size_bytes(variable_.type);
    for (std::size_t inner = level + 1; inner < dimensions_.size(); ++inner)
      n_bytes *= dimensions_[inner];
    return n_bytes;
  }

  void parse_value() {
    const int line = lexer_.line();
    if (!is_expression(lexer_)) {
      add_whole_address(parse_address(), line);
    } else if (const Literal literal = parse_expression(lexer_); lexer_.accept("(")) {
      add_byte_of_address(literal, line);
    } else {
      add_number(literal, line);
    }
    offset_ += size_bytes(variable_.type);
  }

  void add_number(const Literal& literal, int line) {
    std::uint64_t bits = convert(literal, variable_, line);
    const char above = literal.is_negative() ? -1 : 0;
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
    if (size_bytes(variable_.type) != kAddressBytes) {
      fail_value(line, variable_, "is an address of 8 bytes; expected a");
    }
    variable_.initializers.push_back(std::move(address));
  }

  // Packed structures contain addresses byte by byte: 0xFF(generic(f)), 0xFF00(generic(f)), ...
  void add_byte_of_address(const Literal& mask, int line) {
    Initializer address = parse_address();
    lexer_.expect(")", "after the byte of an address");
    address.first_byte = 0;
    while (address.first_byte < kAddressBytes && mask.bits != std::uint64_t{0xff}
                                                                  << (8 * address.first_byte))
      ++address.first_byte;
    if (mask.kind != Literal::Kind::kInteger || address.first_byte == kAddressBytes)
      throw PtxError(line, format("{} has a mask of other bits of an address than one byte's; "
                                  "expected 0xFF, 0xFF00, 0xFF0000 and so on",
                                  quoted(variable_.name)));
    address.n_bytes = 1;
    if (!continues_address(address)) return variable_.initializers.push_back(std::move(address));
    ++variable_.initializers.back().n_bytes;
  }

  bool continues_address(const Initializer& next) const {
    if (variable_.initializers.empty()) return false;
    const Initializer& last = variable_.initializers.back();
    return last.symbol == next.symbol && last.addend == next.addend &&
           last.is_generic == next.is_generic && last.offset + last.n_bytes == next.offset &&
           last.first_byte + last.n_bytes == next.first_byte;
  }

  std::int64_t parse_addend() {
    if (!lexer_.is("+") && !lexer_.is("-")) return 0;
    return static_cast<std::int64_t>(
        parse_integer_expression(lexer_, "an integer added to an address").bits);
  }

  std::string& current_bytes() {
    std::vector<Initializer>& parts = variable_.initializers;
    const bool continues = !parts.empty() && parts.back().symbol.empty() &&
                           parts.back().offset + parts.back().bytes.size() == offset_;
    if (!continues) {
      parts.emplace_back();
      parts.back().offset = offset_;
    }
    return parts.back().bytes;
  }

  Lexer& lexer_;
  Variable& variable_;
  const std::vector<std::uint64_t>& dimensions_;
  ModuleUse& use_;
  std::uint64_t offset_ = 0;
};

}  // namespace

void parse_initializers(Lexer& lexer, Variable& variable,
                        const std::vector<std::uint64_t>& dimensions, ModuleUse& use) {
  InitializerParser(lexer, variable, dimensions, use).parse_all();
}

}  // namespace numpy_plugin::sim
