"""Processes for which files of this machine do not exist: a toolkit, or packages of pip.

A preloaded library fails every look at a path that begins with one of HIDDEN_PATHS, and every
library that the dynamic linker finds there.
"""

import functools
import subprocess
import tempfile
from pathlib import Path

TOOLKITS = "/usr/local/cuda"

SOURCE = r"""
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>

namespace {

bool is_hidden(const char* path) {
  const char* prefix = std::getenv("HIDDEN_PATHS");
  while (path != nullptr && prefix != nullptr && *prefix != '\0') {
    const std::size_t length = std::strcspn(prefix, ":");
    if (std::strncmp(path, prefix, length) == 0) return true;
    prefix += length + (prefix[length] == ':');
  }
  return false;
}

template <class Function>
Function* next(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int stat(const char* path, struct stat* result) {
  static const auto real = next(&stat, "stat");
  errno = ENOENT;
  return is_hidden(path) ? -1 : real(path, result);
}

DIR* opendir(const char* path) {
  static const auto real = next(&opendir, "opendir");
  errno = ENOENT;
  return is_hidden(path) ? nullptr : real(path);
}

void* dlopen(const char* file, int flags) {
  static const auto real = next(&dlopen, "dlopen");
  if (is_hidden(file)) return real("/hidden", flags);
  void* const handle = real(file, flags);
  link_map* map = nullptr;
  if (handle == nullptr || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) return handle;
  if (!is_hidden(map->l_name)) return handle;
  dlclose(handle);
  return real("/hidden", flags);
}

}  // extern "C"
"""


@functools.cache
def _library() -> Path:
    directory = Path(tempfile.mkdtemp(prefix="hidden_paths_"))
    (directory / "hidden_paths.cpp").write_text(SOURCE)
    command = ["c++", "-shared", "-fPIC", "-O1", "-o", "hidden_paths.so", "hidden_paths.cpp"]
    subprocess.run(command, cwd=directory, check=True)
    return directory / "hidden_paths.so"


def hiding(*paths: str) -> dict[str, str]:
    """Return environment variables of a process for which these paths do not exist."""
    return {
        "LD_PRELOAD": str(_library()),
        "HIDDEN_PATHS": ":".join(paths),
        "LD_LIBRARY_PATH": "",
        "CUDA_HOME": "",
        "CUDA_PATH": "",
        "CONDA_PREFIX": "",
    }
