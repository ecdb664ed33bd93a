// Loads and calls the functions of templates/npp/cpu/compiler_check.hpp.
#include "numpy_plugin/jit/host/host_compilation.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/jit/cache/cache.hpp"
#include "numpy_plugin/jit/host/host_flags.hpp"
#include "numpy_plugin/system/dynamic_library.hpp"
#include "numpy_plugin/system/fork.hpp"
#include "numpy_plugin/system/mutex.hpp"

namespace numpy_plugin::jit {
namespace {

using Numbers = std::array<double, 8>;

constexpr std::string_view kAnswerSuffix = ".answer";  // of an entry of the cache

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSmallest32 = -0x1p31;

struct Check {
  const char* function;
  const char* mistake;
  Numbers given, expected;
};

constexpr Check kChecks[] = {
    {"npp_check_narrowing",
     "casts of float64 to float32 and back do not round",
     {0x1.999999999999ap-4, 0x1.999999999999ap-3},
     {-0x1.9999998p-30, -0x1.9999998p-29}},
    {"npp_check_products",
     "sums of products are rounded once",
     {0x1.0000001p0, 0x1.0000003p0, 1, 2, 3, 4, 0.5, 0.25},
     {-0x1.0000004p-26, 0x1.0000004p1, -3, 4, -7, 24, 0.1875, 0.25}},
    {"npp_check_absolute",
     "casts of absolute values to integers are assumed to be positive",
     {kNan, kInfinity, -kInfinity, 1e300, 1, -1, 0, -0.0},
     {1, 1, 1, 1, 0, 0, 0, 0}},
    {"npp_check_integers",
     "casts of float64 to int32 and back are replaced by rounding",
     {1e10, -1e10, kNan, kInfinity, 2.5, -2.5, 0, 7},
     {kSmallest32, kSmallest32, kSmallest32, kSmallest32, 2, -2, 0, 7}},
    {"npp_check_constants",
     "out-of-range casts of constants differ from those at run time",
     {},
     {2 * kSmallest32, 2 * kSmallest32, 2 * kSmallest32, 2 * kSmallest32, 2 * kSmallest32,
      2 * kSmallest32, 2 * kSmallest32, 2 * kSmallest32}},
    {"npp_check_nan", "tests for nan are removed", {kNan, 1, -kNan, kInfinity}, {1, 0, 1, 0}},
    {"npp_check_zeros",
     "the sign of zeros is ignored",
     {-0.0, 0.0, -1, 1, -2, 2, -3, 3},
     {1, 1, -1, 1, -1, 1, -1, 1}},
    {"npp_check_order", "sums are computed in another order", {1, 2, 0.5, -1}, {0, 2, 0, 0}},
};

bool passes(const system::DynamicLibrary& library, const Check& check) {
  void (*function)(const double*, double*) = nullptr;
  Numbers found = {};
  if (library.find(check.function, function)) function(check.given.data(), found.data());
  return function != nullptr && std::bit_cast<std::array<std::uint64_t, 8>>(found) ==
                                    std::bit_cast<std::array<std::uint64_t, 8>>(check.expected);
}

// The mistakes of a shared object, empty where it makes none; nullopt where it can't be loaded.
std::optional<std::string> mistakes_of(const std::string& bytes) {
  system::DynamicLibrary library = system::open_code("compiler check", bytes);
  if (!library.is_open()) return std::nullopt;
  std::vector<std::string> mistakes;
  for (const Check& check : kChecks) {
    if (!passes(library, check)) mistakes.emplace_back(check.mistake);
  }
  library.close();
  return base::join(mistakes, "; ");
}

std::string digest_of(const HostCompiler& compiler) {
  CacheKey key = key_with_templates();
  key.add("check of", compiler.identity).add("cache format", kCacheFormat);
  for (const std::string& word : compiler.command) key.add("command", word);
  for (const std::string& flag : host_compile_flags(compiler.family, {})) key.add("flag", flag);
  return key.add("processor", cpu_identity()).digest();
}

struct CheckMemory {
  system::Mutex mutex;
  std::map<std::string, std::string> mistakes;  // by digest
};

// Leaked on purpose: threads may compile while the process exits.
CheckMemory& check_memory() { return system::the_only<CheckMemory>(); }

// The known mistakes of a compiler. The lock is held.
std::optional<std::string> known_mistakes(const std::string& digest) {
  CheckMemory& known = check_memory();
  if (const auto found = known.mistakes.find(digest); found != known.mistakes.end())
    return found->second;
  std::optional<std::string> stored = Cache::user_cache().load(digest, kAnswerSuffix);
  if (stored.has_value()) {
    const system::ForkHold hold;
    known.mistakes[digest] = *stored;
  }
  return stored;
}

void remember(const std::string& digest, const std::string& mistakes) {
  Cache::user_cache().store(digest, kAnswerSuffix, mistakes);
  const system::ForkHold hold;
  check_memory().mistakes[digest] = mistakes;
}

void refuse(const HostCompiler& compiler, const std::string& mistakes) {
  throw base::Error(base::ErrorKind::kCompiler,
                    format("'{}' ({}) computes wrongly: {}; leave out options such as -ffast-math, "
                           "or set NUMPY_PLUGIN_CXX to another compiler",
                           base::join(compiler.command, " "), compiler.version, mistakes));
}

}  // namespace

CompilerCheck::CompilerCheck(const HostCompiler& compiler, const StartCompilation& start)
    : compiler_(compiler), digest_(digest_of(compiler)), lock_(check_memory().mutex) {
  const std::optional<std::string> mistakes = known_mistakes(digest_);
  if (!mistakes.has_value()) {
    emit::Source source;
    source.text = "#include \"npp/cpu/compiler_check.hpp\"\n";
    compiled_ = start(source);
    return;
  }
  lock_.unlock();
  if (!mistakes->empty()) refuse(compiler, *mistakes);
}

void CompilerCheck::finish() {
  if (!compiled_) return;
  std::optional<std::string> mistakes;
  try {
    mistakes = mistakes_of(compiled_());
  } catch (const base::Error&) {
    return;
  }
  if (!mistakes.has_value()) return;
  remember(digest_, *mistakes);
  lock_.unlock();
  if (!mistakes->empty()) refuse(compiler_, *mistakes);
}

}  // namespace numpy_plugin::jit
