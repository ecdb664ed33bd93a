// Bindings: the environment of this process: compilers, cache, threads, devices, settings.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/jit/cache/cache.hpp"
#include "numpy_plugin/jit/host/host_compiler.hpp"
#include "numpy_plugin/jit/nvrtc/nvjitlink.hpp"
#include "numpy_plugin/jit/toolkit/toolkit.hpp"
#include "numpy_plugin/load/cublas.hpp"
#include "numpy_plugin/run/cpu/elementwise_driver.hpp"
#include "numpy_plugin/run/cpu/sharing.hpp"
#include "numpy_plugin/system/dynamic_library.hpp"
#include "numpy_plugin/system/settings.hpp"
#include "numpy_plugin/system/threads/thread_pool.hpp"
#include "numpy_plugin/ufunc/api/hooks.hpp"
#include "numpy_plugin/ufunc/api/numpy_api.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"
#include "numpy_plugin/ufunc/api/string_caster.hpp"
#include "numpy_plugin/ufunc/bindings/bindings.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

nb::dict cache_info() {
  const jit::Cache cache = jit::Cache::user_cache();
  nb::list entries;
  for (const jit::Cache::Entry& entry : cache.entries()) {
    nb::dict row;
    row["name"] = entry.name;
    row["n_bytes"] = entry.n_bytes;
    row["used"] = entry.used;
    row["is_whole"] = entry.is_whole;
    entries.append(row);
  }
  nb::dict result;
  result["directory"] = cache.directory();
  result["is_usable"] = cache.is_usable();
  result["reason"] = cache.reason();
  result["size_limit"] = cache.size_limit();
  result["entries"] = entries;
  return result;
}

jit::HostCompiler find_host_compiler() {
  const ReleasedGil release;  // another thread may be asking and wait for the GIL
  return jit::find_host_compiler();
}

nb::dict host_compiler() {
  const jit::HostCompiler compiler = find_host_compiler();
  nb::dict result;
  result["command"] = base::join(compiler.command, " ");
  result["version"] = compiler.version;
  return result;
}

nb::dict nvrtc_info(int driver_version) {
  const jit::NvrtcLibrary& library = jit::nvrtc_library({driver_version});
  nb::dict result;
  result["version"] = format("{}.{}", library.major, library.minor);
  result["path"] = library.path;
  nb::list names;
  for (const int number : library.architectures) names.append(format("sm_{}", number));
  result["architectures"] = names;
  return result;
}

nb::dict cublas_info(int driver_version) {
  const load::FoundCublas found = load::find_cublas(driver_version);
  nb::dict result;
  if (found.library == nullptr) {
    result["error"] = found.reason;
    return result;
  }
  result["version"] = found.library->version;
  result["path"] = found.library->path;
  return result;
}

// As bytes: a directory's name need not be UTF-8.
void set_package_directories(const std::vector<nb::bytes>& paths) {
  std::vector<std::string> directories;
  for (const nb::bytes& path : paths) directories.emplace_back(path.c_str(), path.size());
  system::set_package_directories(std::move(directories));
}

std::optional<std::string> dtype_name(nb::handle numpys) {
  const std::optional<base::DType> dtype = dtype_of_descriptor(as_descriptor(numpys));
  return dtype ? std::optional(std::string(base::name(*dtype))) : std::nullopt;
}

const system::SettingInfo& row_named(const std::string& name) {
  const auto rows = system::all_settings();
  const auto row = std::ranges::find(rows, name, &system::SettingInfo::name);
  NPP_ASSERT(row != rows.end(), format("no setting '{}'", name));
  return *row;
}

const char* kind_name(system::SettingKind kind) {
  switch (kind) {
    case system::SettingKind::kFlag:
      return "flag";
    case system::SettingKind::kChoice:
      return "choice";
    case system::SettingKind::kBytes:
      return "bytes";
    case system::SettingKind::kSeconds:
      return "seconds";
    case system::SettingKind::kCount:
    case system::SettingKind::kThreads:
      return "count";
    case system::SettingKind::kDirectory:
      return "directory";
    case system::SettingKind::kCommand:
      break;
  }
  return "command";
}

const char* source_name(system::SettingSource source) {
  switch (source) {
    case system::SettingSource::kProgram:
      return "program";
    case system::SettingSource::kEnvironment:
      return "environment";
    case system::SettingSource::kDefault:
      break;
  }
  return "default";
}

nb::dict described(const system::SettingInfo& row) {
  nb::dict result;
  result["name"] = row.name();
  result["variable"] = std::string(row.variable);
  result["kind"] = kind_name(row.kind);
  result["expected"] = row.expected();
  result["default"] = std::string(row.usual);
  result["meaning"] = std::string(row.meaning);
  result["source"] = source_name(system::peek_setting(row.setting).source);
  result["problem"] = system::setting_problem(row.setting);
  return result;
}

nb::list settings() {
  nb::list rows;
  for (const system::SettingInfo& row : system::all_settings()) rows.append(described(row));
  return rows;
}

// As Python's own types; None for the default of a path or a command.
nb::object setting(const std::string& name) {
  const system::SettingInfo& row = row_named(name);
  if (row.kind == system::SettingKind::kThreads) return nb::cast(system::n_threads());
  const std::string problem = system::setting_problem(row.setting);
  if (!problem.empty()) throw base::Error(base::ErrorKind::kValue, problem);
  const system::SettingValue value = system::peek_setting(row.setting);
  switch (row.kind) {
    case system::SettingKind::kFlag:
      return nb::bool_(system::setting_flag(row.setting));
    case system::SettingKind::kBytes:
      return nb::cast(*base::parse_byte_count(value.text));
    case system::SettingKind::kSeconds:
      return nb::cast(system::setting_seconds(row.setting));
    case system::SettingKind::kCount:
      return nb::cast(system::setting_count(row.setting));
    case system::SettingKind::kChoice:
      return nb::cast(value.text);
    default:
      break;
  }
  return value.source == system::SettingSource::kDefault ? nb::none() : nb::cast(value.text);
}

}  // namespace

void bind_settings(nb::module_& module) {
  module.def("settings", &settings, nb::sig("def settings() -> list[dict[str, typing.Any]]"),
             "All settings: name, variable, kind, expected, default, meaning, source "
             "and the problem of an invalid value in the environment, or \"\".");
  module.def("setting", &setting, "name"_a, nb::sig("def setting(name: str) -> typing.Any"),
             "The value of a setting. ValueError for an invalid one in the environment.");
  module.def(
      "set_setting",
      [](const std::string& name, const std::string& text) {
        system::set_setting(row_named(name).setting, text);
      },
      "name"_a, "text"_a,
      "Set it for this process. ValueError for invalid text, RuntimeError where it was read once.");
  module.def(
      "reset_setting",
      [](const std::string& name) { system::reset_setting(row_named(name).setting); }, "name"_a,
      "Return to the value of the environment or the default.");
}

void bind_environment(nb::module_& module) {
  module.def("cache_info", &cache_info, nb::sig("def cache_info() -> dict[str, typing.Any]"),
             "The disk cache: directory, is_usable, reason, size_limit, entries.");
  module.def(
      "clear_cache", [] { return jit::Cache::user_cache().clear(); },
      "Remove all entries of the disk cache; returns how many there were.");
  module.def("host_compiler", &host_compiler, nb::sig("def host_compiler() -> dict[str, str]"),
             "The host's C++ compiler: command, version. CompilerError if there is none.");
  module.def("set_package_directories", &set_package_directories, "paths"_a,
             nb::sig("def set_package_directories(paths: list[bytes]) -> None"),
             "Set the directories in which compilers and CUDA libraries of packages are found.");
  module.def("nvrtc_info", &nvrtc_info, "driver_version"_a = 0,
             nb::sig("def nvrtc_info(driver_version: int = 0) -> dict[str, typing.Any]"),
             "NVRTC for a driver, of version 13020 for CUDA 13.2 (0: any): version, path, "
             "architectures.\n\n"
             "CompilerError if there is none.");
  module.def("find_nvjitlink", &jit::find_nvjitlink, "driver_version"_a = 0,
             nb::sig("def find_nvjitlink(driver_version: int = 0) -> str"),
             "Path of nvJitLink for a driver, of version 13020 for CUDA 13.2 (0: any), or empty.");
  module.def("cublas_info", &cublas_info, "driver_version"_a,
             nb::sig("def cublas_info(driver_version: int) -> dict[str, str]"),
             "cuBLAS for a driver, of version 13020 for CUDA 13.2: version and path, or error.");
  module.def("set_hooks", &set_hooks, nb::sig("def set_hooks(**hooks: typing.Any) -> None"),
             "Set the functions and classes that C++ calls.");
  module.def("n_threads", &system::n_threads, "Threads of a parallel call, the caller's included.");
  module.def("set_n_threads", &system::set_n_threads, "count"_a,
             "Set it for this process; 0 restores the default.");
  module.def("share_short_calls", &run::share_short_calls, "is_on"_a,
             "Share every call that has two pieces, however short: for tests.");
  module.def("set_cache_bytes", &run::set_cache_bytes, "n_bytes"_a,
             "Set the size beyond which calls write results past the cache, for tests; 0 restores "
             "it.");
  module.attr("MAX_THREADS") = system::kMaxThreads;
  module.def("dtype_name", &dtype_name, "dtype"_a,
             nb::sig("def dtype_name(dtype: numpy.dtype[typing.Any]) -> str | None"),
             "The kernel dtype of one of NumPy's; None if there is none.");
}

}  // namespace numpy_plugin::ufunc
