// Stores the record as an entry of the cache: its fields, each ended by a zero byte.
#include "numpy_plugin/jit/host/host_compilation.hpp"

#include <string>
#include <vector>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/jit/cache/cache.hpp"

namespace numpy_plugin::jit {
namespace {

constexpr std::string_view kRecordSuffix = ".answer";  // of an entry of the cache

std::string digest() {
  return CacheKey().add("last compiler", "").add("cache format", kCacheFormat).digest();
}

std::string pack(const HostCompiler& compiler) {
  std::string bytes;
  const auto add = [&bytes](const std::string& field) { bytes += field + '\0'; };
  add(std::to_string(static_cast<int>(compiler.family)));
  add(compiler.version);
  add(compiler.identity);
  for (const std::string& word : compiler.command) add(word);
  return bytes;
}

std::vector<std::string> fields_of(std::string_view bytes) {
  std::vector<std::string> fields;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\0');
    NPP_ASSERT(end != std::string_view::npos, "a zero byte ends each field");
    fields.emplace_back(bytes.substr(0, end));
    bytes.remove_prefix(end + 1);
  }
  return fields;
}

}  // namespace

void remember_compiler(const Cache& cache, const HostCompiler& compiler) {
  const std::string record = pack(compiler);
  if (cache.load(digest(), kRecordSuffix) != record) cache.store(digest(), kRecordSuffix, record);
}

std::optional<HostCompiler> last_compiler(const Cache& cache) {
  const std::optional<std::string> record = cache.load(digest(), kRecordSuffix);
  if (!record.has_value()) return std::nullopt;
  const std::vector<std::string> fields = fields_of(*record);
  constexpr std::size_t kBeforeCommand = 3;
  NPP_ASSERT(fields.size() > kBeforeCommand, "a record ends with the words of a command");
  return HostCompiler{.command = {fields.begin() + kBeforeCommand, fields.end()},
                      .family = static_cast<HostCompilerFamily>(std::stoi(fields[0])),
                      .version = fields[1],
                      .identity = fields[2]};
}

}  // namespace numpy_plugin::jit
