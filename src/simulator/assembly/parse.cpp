// A module: its header, then variables and functions; one text may both declare and define a name.
#include "simulator/assembly/parse.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "simulator/assembly/function_parser.hpp"
#include "simulator/assembly/lexer.hpp"
#include "simulator/assembly/module_parts.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr int kNewestMajorVersion = 9;

class ModuleParser {
 public:
  explicit ModuleParser(std::string_view text) : lexer_(text) {}

  Module parse() {
    parse_version();
    parse_target();
    parse_address_size();
    while (!lexer_.is(Token::Kind::kEnd)) parse_item();
    check_references();
    for (const Alias& alias : module_.aliases) check_alias(alias);
    module_.files = use_.lines.files();
    module_.locations = use_.lines.locations();
    return std::move(module_);
  }

 private:
  void parse_version() {
    lexer_.expect(".version", "at the beginning of PTX");
    const Token number = lexer_.token();
    const std::size_t dot = number.text.find('.');
    if (!lexer_.is(Token::Kind::kNumber) || dot == number.text.npos) {
      lexer_.fail_expected("a version such as 9.0");
    }
    module_.version_major = parse_version_part(number.text.substr(0, dot));
    module_.version_minor = parse_version_part(number.text.substr(dot + 1));
    if (module_.version_major < 1 || module_.version_major > kNewestMajorVersion) {
      throw PtxVersionError(
          number.line, format("found PTX of version {}; expected one from 1.0 to {}.x", number.text,
                              kNewestMajorVersion));
    }
    lexer_.take();
  }

  int parse_version_part(std::string_view digits) const {
    int value = 0;
    const char* end = digits.data() + digits.size();
    const auto result = std::from_chars(digits.data(), end, value);
    if (result.ec != std::errc() || result.ptr != end)
      lexer_.fail_expected("a version such as 9.0");
    return value;
  }

  // ".target sm_90, debug"
  void parse_target() {
    lexer_.expect(".target", "after the version");
    if (!lexer_.token().text.starts_with("sm_")) lexer_.fail_expected("a target such as sm_90");
    module_.target = lexer_.take().text;
    while (lexer_.accept(",")) lexer_.expect_name("an option of the target");
  }

  void parse_address_size() {
    if (lexer_.accept(".address_size")) lexer_.expect("64", "as the size of addresses");
  }

  void parse_item() {
    if (lexer_.is(".file")) {
      use_.lines.parse_file(lexer_);
    } else if (lexer_.is(".loc")) {
      use_.lines.parse_location(lexer_);
    } else if (lexer_.is(".pragma")) {
      lexer_.skip_statement();
    } else if (lexer_.accept(".section")) {
      parse_section();
    } else if (lexer_.is(".alias")) {
      parse_alias();
    } else {
      parse_definition();
    }
  }

  void parse_section() {
    if (!lexer_.is(Token::Kind::kDirective)) lexer_.fail_expected("the name of a section");
    lexer_.take();
    if (!lexer_.is("{")) lexer_.fail_expected("'{' after the name of a section");
    lexer_.skip_past('}');
  }

  // ".alias name, target;"
  void parse_alias() {
    Alias alias;
    alias.line = lexer_.take().line;
    alias.name = lexer_.expect_name("the name of a function");
    lexer_.expect(",", "after the name of an alias");
    alias.target = lexer_.expect_name("the name of a function");
    lexer_.expect(";", "after an alias");
    module_.aliases.push_back(std::move(alias));
  }

  void parse_definition() {
    const Linkage linkage = parse_linkage();
    if (linkage.is_common && !lexer_.is(".global"))
      lexer_.fail_expected("a .global variable after '.common'");
    if (lexer_.is(".entry") || lexer_.is(".func")) {
      add(parse_function(lexer_, linkage, use_));
      for (Variable& variable : use_.body_variables) add(std::move(variable));
      use_.body_variables.clear();
    } else {
      parse_module_variables(linkage);
    }
  }

  // One directive at most.
  Linkage parse_linkage() {
    Linkage linkage;
    linkage.is_extern = lexer_.accept(".extern");
    linkage.is_visible = !linkage.is_extern && lexer_.accept(".visible");
    const bool may_follow = !linkage.is_extern && !linkage.is_visible;
    linkage.is_common = may_follow && lexer_.accept(".common");
    linkage.is_weak = linkage.is_common || (may_follow && lexer_.accept(".weak"));
    return linkage;
  }

  void parse_module_variables(const Linkage& linkage) {
    if (lexer_.is(".tex"))
      throw PtxError(lexer_.line(),
                     "'.tex' declares a texture, which the simulated GPU does not have");
    const bool is_module_space =
        lexer_.is(".global") || lexer_.is(".const") || lexer_.is(".shared");
    if (!is_module_space) lexer_.fail_expected("a function or a variable of the module");
    for (Variable& variable : parse_variables(lexer_, linkage, use_)) {
      add(std::move(variable));
    }
  }

  // A definition replaces a declaration, wherever that is.
  void add(Variable variable) {
    if (functions_.contains(variable.name)) fail_duplicate(variable.name, variable.line);
    const auto [entry, is_new] = variables_.emplace(variable.name, module_.variables.size());
    if (is_new) {
      module_.variables.push_back(std::move(variable));
      return;
    }
    Variable& earlier = module_.variables[entry->second];
    if (!earlier.is_extern && !variable.is_extern) fail_duplicate(variable.name, variable.line);
    check_same_variable(earlier, variable);
    if (earlier.is_extern && !variable.is_extern) earlier = std::move(variable);
  }

  void add(Function function) {
    if (variables_.contains(function.name)) fail_duplicate(function.name, function.line);
    const auto [entry, is_new] = functions_.emplace(function.name, module_.functions.size());
    if (is_new) {
      module_.functions.push_back(std::move(function));
      return;
    }
    Function& earlier = module_.functions[entry->second];
    if (!earlier.is_extern && !function.is_extern) fail_duplicate(function.name, function.line);
    check_same_signature(earlier, function);
    if (earlier.is_extern && !function.is_extern) earlier = std::move(function);
  }

  [[noreturn]] static void fail_duplicate(const std::string& name, int line) {
    throw PtxError(line, quoted(name) + " is defined in this module already");
  }

  // A declaration may leave the size open: .extern .shared .b8 x[].
  static void check_same_variable(const Variable& earlier, const Variable& variable) {
    const bool is_open = earlier.n_bytes == 0 || variable.n_bytes == 0;
    const bool is_same =
        earlier.space == variable.space && (is_open || earlier.n_bytes == variable.n_bytes);
    if (is_same) return;
    throw PtxError(variable.line,
                   format("{} does not match the space and size of its declaration on line {}",
                          quoted(variable.name), earlier.line));
  }

  static bool has_same_sizes(const std::vector<Variable>& first,
                             const std::vector<Variable>& second) {
    return std::ranges::equal(first, second, {}, &Variable::n_bytes, &Variable::n_bytes);
  }

  static void check_same_signature(const Function& earlier, const Function& function) {
    const bool is_same = earlier.is_entry == function.is_entry &&
                         has_same_sizes(earlier.results, function.results) &&
                         has_same_sizes(earlier.parameters, function.parameters);
    if (is_same) return;
    throw PtxError(
        function.line,
        format("{} does not match the parameters and results of its declaration on line {}",
               quoted(function.name), earlier.line));
  }

  // An alias needs a declaration, and a definition of the target in this module.
  void check_alias(const Alias& alias) const {
    const Function* name = find_function(alias.name);
    const Function* target = find_function(alias.target);
    if (name == nullptr || !name->is_extern || name->is_entry)
      fail_alias(alias, alias.name, "a function that is declared without a body");
    if (target == nullptr || target->is_extern || target->is_entry)
      fail_alias(alias, alias.target, "a function that is defined in this module");
    check_same_signature(*target, *name);
  }

  const Function* find_function(const std::string& name) const {
    const auto found = functions_.find(name);
    return found == functions_.end() ? nullptr : &module_.functions[found->second];
  }

  [[noreturn]] static void fail_alias(const Alias& alias, const std::string& name,
                                      const std::string& expected) {
    throw PtxError(alias.line,
                   format("'.alias' with {}; expected {} there", quoted(name), expected));
  }

  // Reports the first undefined name of the text.
  void check_references() const {
    std::string_view unknown;
    int line = 0;
    for (const auto& [name, first_line] : use_.symbols) {
      if (variables_.contains(std::string(name)) || functions_.contains(std::string(name)))
        continue;
      const bool is_earlier = std::tie(first_line, name) < std::tie(line, unknown);
      if (unknown.empty() || is_earlier) {
        unknown = name;
        line = first_line;
      }
    }
    if (unknown.empty()) return;
    throw PtxError(line,
                   quoted(unknown) +
                       " is not declared; expected a register, a label, a variable or a function");
  }

  Lexer lexer_;
  Module module_;
  ModuleUse use_;
  std::unordered_map<std::string, std::size_t> variables_;
  std::unordered_map<std::string, std::size_t> functions_;
};

// Recognizes binary inputs passed instead of PTX.
void check_is_text(std::string_view text) {
  if (text.empty()) throw PtxError(1, "the text is empty; expected PTX");
  if (text.starts_with("\x7f"
                       "ELF")) {
    throw PtxError(1, "found an object in ELF format (a cubin); expected PTX as text");
  }
}

std::string with_line(int line, const std::string& message) {
  return line > 0 ? format("line {}: {}", line, message) : message;
}

}  // namespace

PtxError::PtxError(int line, const std::string& message)
    : std::runtime_error(with_line(line, message)), line_(line) {}

Module parse_ptx(std::string_view text) {
  check_is_text(text);
  return ModuleParser(text).parse();
}

}  // namespace numpy_plugin::sim
