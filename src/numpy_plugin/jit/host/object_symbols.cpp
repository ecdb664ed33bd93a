// Reads and changes the symbol table of a 64-bit ELF file.
#include "numpy_plugin/jit/host/host_flags.hpp"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <set>

namespace numpy_plugin::jit {
namespace {

// The linker defines it.
constexpr std::string_view kOffsetTable = "_GLOBAL_OFFSET_TABLE_";

// A structure in a file; nullopt past its end.
template <class Entry>
std::optional<Entry> entry_at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(Entry)) return std::nullopt;
  Entry entry;
  std::memcpy(&entry, bytes.data() + offset, sizeof(Entry));
  return entry;
}

template <class Entry>
void set_entry(std::string& bytes, std::uint64_t offset, const Entry& entry) {
  std::memcpy(bytes.data() + offset, &entry, sizeof(Entry));
}

class ObjectFile {
 public:
  explicit ObjectFile(std::string_view bytes)
      : bytes_(bytes), header_(entry_at<Elf64_Ehdr>(bytes, 0)) {}

  bool is_readable() const {
    return header_.has_value() && std::memcmp(header_->e_ident, ELFMAG, SELFMAG) == 0 &&
           header_->e_ident[EI_CLASS] == ELFCLASS64 && header_->e_shoff <= bytes_.size();
  }

  std::uint64_t n_sections() const { return header_->e_shnum; }

  std::uint64_t section_offset(std::uint64_t index) const {
    return header_->e_shoff + index * sizeof(Elf64_Shdr);
  }

  std::optional<Elf64_Shdr> section(std::uint64_t index) const {
    return entry_at<Elf64_Shdr>(bytes_, section_offset(index));
  }

  std::optional<Elf64_Shdr> symbol_table() const {
    for (std::uint64_t index = 0; index < n_sections(); ++index) {
      const std::optional<Elf64_Shdr> found = section(index);
      if (found.has_value() && found->sh_type == SHT_SYMTAB) return found;
    }
    return std::nullopt;
  }

  // The symbols that name groups of sections, of which a linker keeps one group of each name.
  std::set<std::uint64_t> group_symbols() const {
    std::set<std::uint64_t> found;
    for (std::uint64_t index = 0; index < n_sections(); ++index) {
      const std::optional<Elf64_Shdr> each = section(index);
      if (each.has_value() && each->sh_type == SHT_GROUP) found.insert(each->sh_info);
    }
    return found;
  }

  std::optional<std::string> name_at(const Elf64_Shdr& names, std::uint64_t offset) const {
    if (names.sh_offset > bytes_.size() || offset >= bytes_.size() - names.sh_offset)
      return std::nullopt;
    const std::string_view rest = bytes_.substr(names.sh_offset + offset);
    return std::string(rest.substr(0, rest.find('\0')));
  }

  static std::uint64_t symbol_offset(const Elf64_Shdr& table, std::uint64_t index) {
    return table.sh_offset + index * sizeof(Elf64_Sym);
  }

  std::optional<Elf64_Sym> symbol(const Elf64_Shdr& table, std::uint64_t index) const {
    return entry_at<Elf64_Sym>(bytes_, symbol_offset(table, index));
  }

 private:
  std::string_view bytes_;
  std::optional<Elf64_Ehdr> header_;
};

struct SymbolTable {
  Elf64_Shdr symbols;
  Elf64_Shdr names;
  std::uint64_t n_symbols() const { return symbols.sh_size / sizeof(Elf64_Sym); }
};

std::optional<SymbolTable> find_symbols(const ObjectFile& file, std::string_view bytes) {
  if (!file.is_readable()) return std::nullopt;
  const std::optional<Elf64_Shdr> table = file.symbol_table();
  const std::optional<Elf64_Shdr> names = table ? file.section(table->sh_link) : std::nullopt;
  if (!names.has_value() || table->sh_offset > bytes.size() || names->sh_offset > bytes.size() ||
      names->sh_size > bytes.size() - names->sh_offset) {
    return std::nullopt;
  }
  return SymbolTable{*table, *names};
}

bool is_visible(const Elf64_Sym& symbol) {
  return symbol.st_shndx != SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL;
}

}  // namespace

std::optional<std::vector<std::string>> undefined_symbols(std::string_view object) {
  const ObjectFile file(object);
  const std::optional<SymbolTable> table = find_symbols(file, object);
  if (!table.has_value()) return std::nullopt;
  std::vector<std::string> found;
  for (std::uint64_t index = 1; index < table->n_symbols(); ++index) {
    const std::optional<Elf64_Sym> symbol = file.symbol(table->symbols, index);
    if (!symbol.has_value()) return std::nullopt;
    if (symbol->st_shndx != SHN_UNDEF) continue;
    std::optional<std::string> name = file.name_at(table->names, symbol->st_name);
    if (!name.has_value()) return std::nullopt;
    if (*name != kOffsetTable) found.push_back(std::move(*name));
  }
  return found;
}

// The new names follow a copy of the old ones, which sections may use as well, at the file's end.
std::optional<std::string> with_suffixed_symbols(std::string_view object, std::string_view suffix) {
  const ObjectFile file(object);
  const std::optional<SymbolTable> table = find_symbols(file, object);
  if (!table.has_value()) return std::nullopt;
  const std::set<std::uint64_t> groups = file.group_symbols();
  std::string changed(object);
  std::string names(object.substr(table->names.sh_offset, table->names.sh_size));
  for (std::uint64_t index = 1; index < table->n_symbols(); ++index) {
    std::optional<Elf64_Sym> symbol = file.symbol(table->symbols, index);
    if (!symbol.has_value()) return std::nullopt;
    if (!is_visible(*symbol) && !groups.contains(index)) continue;
    const std::optional<std::string> name = file.name_at(table->names, symbol->st_name);
    if (!name.has_value()) return std::nullopt;
    symbol->st_name = static_cast<Elf64_Word>(names.size());
    names += *name + std::string(suffix) + '\0';
    set_entry(changed, ObjectFile::symbol_offset(table->symbols, index), *symbol);
  }
  Elf64_Shdr section = table->names;
  section.sh_offset = changed.size();
  section.sh_size = names.size();
  set_entry(changed, file.section_offset(table->symbols.sh_link), section);
  return changed + names;
}

}  // namespace numpy_plugin::jit
