// Files: whole reads, atomic writes, private temporary directories.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "numpy_plugin/system/process_end.hpp"

namespace numpy_plugin::base {

// The bytes of a file; nothing when it can't be read.
std::optional<std::string> read_file(const std::string& path);

// Writes beside `path` under a name nobody can guess and renames; false (nothing left behind, the
// reason in errno) when any step fails. Mode 0600. After a loss of power the file may be there and
// cut short: who reads it tests a checksum.
bool write_file_atomically(const std::string& path, std::string_view bytes);

// $TMPDIR, or /tmp where that is not set or others could put another directory in its place: what
// is compiled there is run. Absolute, so that no program takes it for an option.
std::string temporary_base();

// A new directory only this user can enter, removed with all it holds at the end of its life or of
// the process.
class TemporaryDirectory {
 public:
  TemporaryDirectory();  // throws Error (kRuntime) where none can be made
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }

 private:
  void make();

  std::string path_;
  UndoneAtExit removed_at_exit_;
};

}  // namespace numpy_plugin::base
