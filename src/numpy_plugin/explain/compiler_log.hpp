// Messages of g++, clang++ and NVRTC, parsed into one form.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace numpy_plugin::jit {

enum class LogForm { kGnu, kNvrtc };  // kGnu: g++, clang++ and zig

struct CompilerMessage {
  enum class Severity { kError, kWarning, kNote };
  Severity severity = Severity::kError;
  std::string file;  // empty for a remark without a place
  int line = 0;
  int column = -1;  // in bytes from 0; -1 where the compiler gives none
  std::string text;
  std::vector<CompilerMessage> notes;  // in the order written
  std::string source_line;             // NVRTC's copy of the line, empty elsewhere
  bool leads_here = false;             // of a note: what it shows uses what the error is in
};

// Errors and warnings; the notes around one are inside it.
std::vector<CompilerMessage> parse_compiler_log(std::string_view log, LogForm form);

// A message without what only its compiler or our generated text means: "'npp::Kernel0::x_t' {aka
// 'const float'}" becomes "'float'".
std::string plain_message(std::string_view text);

}  // namespace numpy_plugin::jit
