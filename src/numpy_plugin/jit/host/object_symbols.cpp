// Reads the symbol table of a 64-bit ELF file.
#include "numpy_plugin/jit/host/object_symbols.hpp"

#include <elf.h>

#include <cstdint>
#include <cstring>

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

class ObjectFile {
 public:
  explicit ObjectFile(std::string_view bytes)
      : bytes_(bytes), header_(entry_at<Elf64_Ehdr>(bytes, 0)) {}

  bool is_readable() const {
    return header_.has_value() && std::memcmp(header_->e_ident, ELFMAG, SELFMAG) == 0 &&
           header_->e_ident[EI_CLASS] == ELFCLASS64;
  }

  std::optional<Elf64_Shdr> section(std::uint64_t index) const {
    if (header_->e_shoff > bytes_.size()) return std::nullopt;
    return entry_at<Elf64_Shdr>(bytes_, header_->e_shoff + index * sizeof(Elf64_Shdr));
  }

  std::optional<Elf64_Shdr> symbol_table() const {
    for (std::uint64_t index = 0; index < header_->e_shnum; ++index) {
      const std::optional<Elf64_Shdr> found = section(index);
      if (found.has_value() && found->sh_type == SHT_SYMTAB) return found;
    }
    return std::nullopt;
  }

  std::optional<std::string> name_at(const Elf64_Shdr& names, std::uint64_t offset) const {
    if (names.sh_offset > bytes_.size() || offset >= bytes_.size() - names.sh_offset)
      return std::nullopt;
    const std::string_view rest = bytes_.substr(names.sh_offset + offset);
    return std::string(rest.substr(0, rest.find('\0')));
  }

  std::optional<Elf64_Sym> symbol(const Elf64_Shdr& table, std::uint64_t index) const {
    return entry_at<Elf64_Sym>(bytes_, table.sh_offset + index * sizeof(Elf64_Sym));
  }

 private:
  std::string_view bytes_;
  std::optional<Elf64_Ehdr> header_;
};

}  // namespace

std::optional<std::vector<std::string>> undefined_symbols(std::string_view object) {
  const ObjectFile file(object);
  if (!file.is_readable()) return std::nullopt;
  const std::optional<Elf64_Shdr> table = file.symbol_table();
  const std::optional<Elf64_Shdr> names = table ? file.section(table->sh_link) : std::nullopt;
  if (!names.has_value() || table->sh_offset > object.size()) return std::nullopt;
  std::vector<std::string> found;
  for (std::uint64_t index = 1; index < table->sh_size / sizeof(Elf64_Sym); ++index) {
    const std::optional<Elf64_Sym> symbol = file.symbol(*table, index);
    if (!symbol.has_value()) return std::nullopt;
    if (symbol->st_shndx != SHN_UNDEF) continue;
    std::optional<std::string> name = file.name_at(*names, symbol->st_name);
    if (!name.has_value()) return std::nullopt;
    if (*name != kOffsetTable) found.push_back(std::move(*name));
  }
  return found;
}

}  // namespace numpy_plugin::jit
