// Checks every directory above a path: whoever can write to one can rename its contents.
#include "numpy_plugin/system/file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "numpy_plugin/base/format.hpp"

namespace numpy_plugin::system {
namespace {

// The owner of "/" can replace everything. In a user namespace, root may have another id.
bool is_trusted(uid_t owner) {
  struct stat root;
  return owner == 0 || owner == ::geteuid() || (::stat("/", &root) == 0 && owner == root.st_uid);
}

std::string reason_against(const std::string& path) {
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0) return "";
  if (!is_trusted(status.st_uid)) {
    return format("'{}' belongs to user {}, who could replace what is in it", path, status.st_uid);
  }
  // In a sticky directory, such as /tmp, only owners can rename and remove.
  const bool is_open = S_ISDIR(status.st_mode) && (status.st_mode & (S_IWGRP | S_IWOTH)) != 0 &&
                       (status.st_mode & S_ISVTX) == 0;
  return is_open ? format("'{}' can be written to by other users, who could replace what is in it",
                          path)
                 : "";
}

}  // namespace

std::string reason_against_ancestors(const std::string& path) {
  for (std::size_t end = path.find('/'); end != std::string::npos; end = path.find('/', end + 1)) {
    const std::string parent = path.substr(0, std::max<std::size_t>(end, 1));
    if (std::string reason = reason_against(parent); !reason.empty()) return reason;
  }
  return "";
}

}  // namespace numpy_plugin::system
