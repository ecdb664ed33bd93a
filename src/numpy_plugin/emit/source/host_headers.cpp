// A search for #include in the texts of headers, without preprocessing: what a condition excludes
// counts as included.
#include "numpy_plugin/emit/source/emit.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "numpy_plugin/system/fork.hpp"

namespace numpy_plugin::emit {
namespace {

using HeaderTexts = std::map<std::string_view, std::string_view>;

HeaderTexts texts_of_headers() {
  HeaderTexts texts;
  for (const TemplateFile& file : template_files()) texts.emplace(file.name, file.text);
  for (const NamedHeader& header : named_headers()) {
    if (!header.for_cpu.empty()) texts.emplace(header.name, header.for_cpu);
  }
  return texts;
}

// Whether the word after this text can be that of #include, %:include or __has_include.
bool ends_as_directive(std::string_view before) {
  const std::size_t last = before.find_last_not_of(" \t\\\r\n");
  return last != std::string_view::npos &&
         std::string_view("#:_").find(before[last]) != std::string_view::npos;
}

// The name between the marks that a text begins with; nullopt for a macro, or #include_next.
std::optional<std::string_view> included_name(std::string_view rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  if (rest.empty() || (rest[0] != '"' && rest[0] != '<')) return std::nullopt;
  const std::size_t end = rest.find(rest[0] == '"' ? '"' : '>', 1);
  if (end == std::string_view::npos) return std::nullopt;
  return rest.substr(1, end - 1);
}

// The names that a text includes; nullopt where they cannot be told.
std::optional<std::vector<std::string_view>> included_names(std::string_view text) {
  constexpr std::string_view kWord = "include";
  std::vector<std::string_view> names;
  for (std::size_t at = text.find(kWord); at != std::string_view::npos;
       at = text.find(kWord, at + kWord.size())) {
    if (!ends_as_directive(text.substr(0, at))) continue;
    const auto name = included_name(text.substr(at + kWord.size()));
    if (!name.has_value()) return std::nullopt;
    names.push_back(*name);
  }
  return names;
}

}  // namespace

std::set<std::string_view> host_headers(std::string_view text) {
  const HeaderTexts& texts = system::made_once<texts_of_headers>();
  std::set<std::string_view> found;
  std::vector<std::string_view> unread = {text};
  while (!unread.empty()) {
    const auto names = included_names(unread.back());
    unread.pop_back();
    if (!names.has_value()) return all_host_headers();
    for (const std::string_view name : *names) {
      const auto header = texts.find(name);
      if (header == texts.end()) return all_host_headers();
      if (found.insert(header->first).second) unread.push_back(header->second);
    }
  }
  return found;
}

std::set<std::string_view> all_host_headers() {
  std::set<std::string_view> names;
  for (const auto& [name, text] : system::made_once<texts_of_headers>()) names.insert(name);
  return names;
}

}  // namespace numpy_plugin::emit
