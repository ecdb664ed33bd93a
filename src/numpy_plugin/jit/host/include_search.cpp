#include "numpy_plugin/jit/host/include_search.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <span>
#include <utility>

#include "numpy_plugin/system/file.hpp"

namespace numpy_plugin::jit {
namespace {

constexpr const char* kDirectoryVariables[] = {"CPATH", "CPLUS_INCLUDE_PATH"};
constexpr const char* kOtherVariables[] = {"COMPILER_PATH", "GCC_EXEC_PREFIX", "LIBRARY_PATH",
                                           "CCC_OVERRIDE_OPTIONS", "SDKROOT"};

constexpr std::string_view kTest = "__has_include";
constexpr std::string_view kNoFiles[] = {"__DATE__", "__TIME__", "__TIMESTAMP__", "__has_embed",
                                         "incbin"};

bool is_there(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

// Skips white space and comments, as a preprocessor does.
void skip_blanks(std::string_view& text) {
  while (true) {
    const std::size_t blanks = std::min(text.find_first_not_of(" \t\v\f\r"), text.size());
    text.remove_prefix(blanks);
    if (!text.starts_with("/*")) return;
    const std::size_t end = text.find("*/", 2);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 2);
  }
}

struct Include {
  std::string name;  // empty where a macro expands to it
  bool is_quoted = false;
};

// Parses the operand of an #include at the beginning of `text`.
Include read_operand(std::string_view text) {
  skip_blanks(text);
  const char close = text.starts_with('<') ? '>' : text.starts_with('"') ? '"' : '\0';
  const std::size_t end = close == '\0' ? std::string_view::npos : text.find(close, 1);
  if (end == std::string_view::npos) return {};
  return {std::string(text.substr(1, end - 1)), close == '"'};
}

std::string without_spliced_lines(std::string_view text) {
  std::string joined;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '\n') {
      ++i;
    } else {
      joined += text[i];
    }
  }
  return joined;
}

// Everything that looks like an #include, also in comments and strings.
std::vector<Include> includes_of(std::string_view text) {
  const std::string joined = without_spliced_lines(text);
  std::vector<Include> found;
  for (std::size_t at = joined.find_first_of("#:"); at != std::string::npos;
       at = joined.find_first_of("#:", at + 1)) {
    if (joined[at] == ':' && (at == 0 || joined[at - 1] != '%')) continue;  // digraph "%:"
    std::string_view rest = std::string_view(joined).substr(at + 1);
    skip_blanks(rest);
    for (const std::string_view word : {"include_next", "include", "import", "embed"}) {
      if (!rest.starts_with(word)) continue;
      found.push_back(read_operand(rest.substr(word.size())));
      break;
    }
  }
  for (std::size_t at = joined.find(kTest); at != std::string::npos;
       at = joined.find(kTest, at + 1)) {
    std::string_view rest = std::string_view(joined).substr(at + kTest.size());
    skip_blanks(rest);
    if (!rest.starts_with('(')) continue;  // tests whether the operator exists
    found.push_back(read_operand(rest.substr(1)));
  }
  return found;
}

bool has_any(std::string_view text, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [text](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  });
}

// Walks a text and everything that it may include.
class Search {
 public:
  Search(const std::vector<std::string>& directories, long long start)
      : directories_(directories), start_(start) {}

  bool read(std::string_view text, const std::string& directory) {
    if (has_any(text, kNoFiles)) return false;
    for (const Include& include : includes_of(text)) {
      if (include.name.empty() || !find(include, directory)) return false;
    }
    return true;
  }
  Dependencies take() { return std::move(found_); }

 private:
  bool find(const Include& include, const std::string& directory) {
    if (include.name.starts_with("npp/")) return true;
    if (include.name.starts_with('/')) return look_at(include.name).value_or(false);
    std::vector<std::string> directories;
    if (include.is_quoted) directories = {directory, ""};  // also the directory of the text itself
    for (const std::string& other : directories_) directories.push_back(other + '/');
    for (const std::string& candidate : directories) {
      if (const std::optional<bool> result = look_at(candidate + include.name)) return *result;
    }
    return true;  // found in none of them: built into NVRTC, or an error
  }

  // nullopt where the file does not exist; else whether it and its includes could be read.
  std::optional<bool> look_at(const std::string& path) {
    if (!is_there(path)) {
      if (seen_.insert(path).second) found_.push_back({path, ""});
      return std::nullopt;
    }
    if (!seen_.insert(path).second) return true;
    const std::optional<std::string> text = system::read_file(path);
    std::optional<Dependency> dependency = dependency_on(path, start_);
    if (!text.has_value() || !dependency.has_value()) return false;
    found_.push_back(std::move(*dependency));
    return read(*text, directory_of(path));
  }

  const std::vector<std::string>& directories_;
  long long start_;
  std::set<std::string> seen_;
  Dependencies found_;
};

}  // namespace

void add_search_variables(CacheKey& key) {
  const auto add = [&key](const char* name) {
    if (const char* const value = std::getenv(name)) key.add(name, value);
  };
  for (const char* name : kDirectoryVariables) add(name);
  for (const char* name : kOtherVariables) add(name);
}

std::vector<std::string> host_search_directories(const std::vector<std::string>& command) {
  std::vector<std::string> directories;
  for (std::size_t i = 1; i < command.size(); ++i) {
    if (command[i] == "-I" && i + 1 < command.size()) {
      directories.push_back(command[i + 1]);
    } else if (command[i].starts_with("-I")) {
      directories.push_back(command[i].substr(2));
    }
  }
  for (const char* name : kDirectoryVariables) {
    const char* const value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    std::string_view rest = value;
    while (true) {
      const std::string_view directory = rest.substr(0, rest.find(':'));
      directories.emplace_back(directory.empty() ? "." : directory);
      if (directory.size() == rest.size()) break;
      rest.remove_prefix(directory.size() + 1);
    }
  }
  return directories;
}

// A file may have been found through any suffix of its path.
void add_absent_files(Dependencies& found, const std::vector<std::string>& directories) {
  const std::size_t n_found = found.size();
  std::set<std::string> absent;
  for (std::size_t i = 0; i < n_found; ++i) {
    const std::string path = found[i].path;
    for (const std::string& directory : directories) {
      if (path.starts_with(directory + '/')) break;  // later directories are irrelevant
      for (std::size_t at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1)) {
        const std::string other = directory + path.substr(at);
        if (!is_there(other)) absent.insert(other);
      }
    }
  }
  for (const std::string& path : absent) found.push_back({path, ""});
}

bool depends_on_more_than_files(std::string_view text) {
  return has_any(text, kNoFiles) || text.find(kTest) != std::string_view::npos;
}

std::optional<Dependencies> included_files(std::string_view text,
                                           const std::vector<std::string>& directories,
                                           long long start) {
  Search search(directories, start);
  return search.read(text, "") ? std::optional(search.take()) : std::nullopt;
}

}  // namespace numpy_plugin::jit
