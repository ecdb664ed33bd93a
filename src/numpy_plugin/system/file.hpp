// Files: reads, atomic writes, private temporary directories, and whom to trust with a path.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "numpy_plugin/system/process_end.hpp"

namespace numpy_plugin::system {

// The bytes of a file; nullopt when it can't be read.
std::optional<std::string> read_file(const std::string& path);

// Writes all bytes to a descriptor; false, with the reason in errno, where a write fails.
bool write_all(int descriptor, std::string_view bytes);

// Writes a file next to `path` under an unpredictable name and renames it; false (nothing left
// behind, the reason in errno) when any step fails. Mode 0600. After a power failure the file may
// be truncated: readers verify a checksum.
bool write_file_atomically(const std::string& path, std::string_view bytes);

// $TMPDIR, or /tmp where that is not set or other users could replace the directory: code compiled
// there is run. Absolute, so that no program takes it for an option.
std::string temporary_base();

// A new directory private to this user, removed with its contents by the destructor or at process
// exit.
class TemporaryDirectory {
 public:
  TemporaryDirectory();  // throws Error (kRuntime) where none can be created
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }
  // Makes the directories that the name of a file in this one goes through; their absence is seen
  // by the write. At process exit none is made: this directory is not made again.
  void make_way(std::string_view name) const;

 private:
  void make();

  std::string path_;
  UndoneAtExit removed_at_exit_;
};

// Removes this user's directories from TemporaryDirectory that are at least a day old; once per
// process.
void remove_stale_directories();

// Why another user could replace the directory or file at `path`: a directory above it, or a link
// in it, belongs to another user or is writable by others. Empty where nobody can. Missing parts
// are ignored.
std::string reason_against_ancestors(const std::string& path);

}  // namespace numpy_plugin::system
