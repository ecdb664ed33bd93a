// A pipe whose ends close with it and are not inherited by programs.
#pragma once

#include <fcntl.h>
#include <unistd.h>

namespace numpy_plugin::system {

class Pipe {
 public:
  Pipe() : is_open_(::pipe2(ends_, O_CLOEXEC) == 0) {}
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  bool is_open() const { return is_open_; }
  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void close_write_end() { close_end(1); }

 private:
  void close_end(int end) {
    if (ends_[end] >= 0) ::close(ends_[end]);
    ends_[end] = -1;
  }

  int ends_[2] = {-1, -1};
  bool is_open_;
};

}  // namespace numpy_plugin::system
