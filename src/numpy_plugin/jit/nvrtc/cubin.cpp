// Reads ptxas's report and the cubin's section table.
#include "numpy_plugin/jit/nvrtc/nvrtc_program.hpp"

#include <elf.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/text.hpp"

namespace numpy_plugin::jit {
namespace {

// Removes a size of 20 digits from the end.
std::size_t cut_size(std::string_view& bytes) {
  NPP_ASSERT(bytes.size() >= base::kSizeDigits, format("a packed cubin of {}", bytes.size()));
  const std::string_view digits = bytes.substr(bytes.size() - base::kSizeDigits);
  std::size_t size = 0;
  const auto [stop, error] =
      std::from_chars(digits.data(), digits.data() + base::kSizeDigits, size);
  NPP_ASSERT(error == std::errc() && stop == digits.data() + base::kSizeDigits, "digits of a size");
  bytes.remove_suffix(base::kSizeDigits);
  return size;
}

std::string cut_text(std::string_view& bytes, std::size_t size) {
  NPP_ASSERT(size <= bytes.size(), format("a part of {} bytes", size));
  std::string text(bytes.substr(bytes.size() - size));
  bytes.remove_suffix(size);
  return text;
}

// The number immediately before `unit`: 912 in "912 bytes stack frame, ..."; 0 where it is missing.
int number_before(std::string_view line, std::string_view unit) {
  const std::size_t end = line.find(unit);
  if (end == std::string_view::npos) return 0;
  std::size_t begin = end;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  int number = 0;
  std::from_chars(line.data() + begin, line.data() + end, number);
  return number;
}

std::string between(std::string_view line, std::string_view before, std::string_view behind) {
  const std::size_t begin = line.find(before) + before.size();
  return std::string(line.substr(begin, line.find(behind, begin) - begin));
}

template <class Header>
std::optional<Header> header_at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(Header)) return std::nullopt;
  Header header;
  std::memcpy(&header, bytes.data() + offset, sizeof(Header));
  return header;
}

struct Section {
  std::string_view name;
  std::uint64_t n_bytes;
};

std::vector<Section> sections_of(std::string_view elf) {
  const auto header = header_at<Elf64_Ehdr>(elf, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return {};
  const auto at = [&](std::uint64_t index) {
    return header->e_shoff > elf.size()
               ? std::nullopt
               : header_at<Elf64_Shdr>(elf, header->e_shoff + index * sizeof(Elf64_Shdr));
  };
  const auto names = at(header->e_shstrndx);
  if (!names) return {};
  std::vector<Section> sections;
  for (std::uint64_t index = 0; index < header->e_shnum; ++index) {
    const auto section = at(index);
    if (!section || names->sh_offset > elf.size() ||
        section->sh_name >= elf.size() - names->sh_offset) {
      continue;
    }
    std::string_view name = elf.substr(names->sh_offset + section->sh_name);
    sections.push_back({name.substr(0, name.find('\0')), section->sh_size});
  }
  return sections;
}

// The sizes of .nv.constant0.NAME, .nv.constant2.NAME, ...
int constant_bytes(const std::vector<Section>& sections, const std::string& kernel) {
  constexpr std::string_view kPrefix = ".nv.constant";
  std::uint64_t n_bytes = 0;
  for (const Section& section : sections) {
    const std::size_t dot = section.name.find('.', kPrefix.size());
    const bool is_constant = section.name.starts_with(kPrefix) && dot != std::string_view::npos;
    if (is_constant && section.name.substr(dot + 1) == kernel) n_bytes += section.n_bytes;
  }
  return static_cast<int>(std::min<std::uint64_t>(n_bytes, 0x7fffffff));
}

}  // namespace

std::string pack_cubin(const NvrtcOutput& output) {
  return output.cubin + output.ptx + output.log + base::size_digits(output.ptx.size()) +
         base::size_digits(output.log.size());
}

NvrtcOutput unpack_cubin(std::string_view bytes) {
  const std::size_t log_size = cut_size(bytes);
  const std::size_t ptx_size = cut_size(bytes);
  NvrtcOutput output;
  output.log = cut_text(bytes, log_size);
  output.ptx = cut_text(bytes, ptx_size);
  output.cubin = std::string(bytes);
  return output;
}

std::vector<KernelResources> read_resources(std::string_view cubin, std::string_view log) {
  const std::vector<Section> sections = sections_of(cubin);
  std::vector<KernelResources> kernels;
  std::string properties_of;
  for (const std::string& line : base::split_lines(log)) {
    if (line.find("Compiling entry function '") != std::string::npos) {
      kernels.push_back({between(line, "function '", "'"), 0, 0, 0, 0, 0, 0});
      kernels.back().constant_bytes = constant_bytes(sections, kernels.back().name);
    } else if (line.find("Function properties for ") != std::string::npos) {
      properties_of = between(line, "properties for ", "\n");
    } else if (kernels.empty()) {
      continue;
    } else if (line.find(" bytes stack frame") != std::string::npos) {
      KernelResources& kernel = kernels.back();
      if (properties_of != kernel.name) continue;  // a function called by the kernel
      kernel.stack_bytes = number_before(line, " bytes stack frame");
      kernel.spill_store_bytes = number_before(line, " bytes spill stores");
      kernel.spill_load_bytes = number_before(line, " bytes spill loads");
    } else if (line.find("Used ") != std::string::npos) {
      KernelResources& kernel = kernels.back();
      kernel.n_registers = number_before(line, " registers");
      kernel.shared_bytes = number_before(line, " bytes smem");
      kernel.stack_bytes =
          std::max(kernel.stack_bytes, number_before(line, " bytes cumulative stack size"));
    }
  }
  return kernels;
}

}  // namespace numpy_plugin::jit
