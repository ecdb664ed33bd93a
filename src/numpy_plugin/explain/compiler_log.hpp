// Messages of g++, clang++ and NVRTC, parsed to a common form.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace numpy_plugin::explain {

enum class LogForm { kGnu, kNvrtc };  // kGnu: g++, clang++ and zig

struct CompilerMessage {
  enum class Severity { kError, kWarning, kNote };
  Severity severity = Severity::kError;
  std::string file;  // empty for a remark without a position
  int line = 0;
  int column = -1;  // 0-based in bytes; -1 where missing
  std::string text;
  std::vector<CompilerMessage> notes;  // in printed order
  std::string source_line;             // NVRTC's copy of the line, else empty
  bool leads_here = false;             // for a note: it shows a use of the erroneous code
};

// Errors and warnings, each with its notes.
std::vector<CompilerMessage> parse_compiler_log(std::string_view log, LogForm form);

// A message without terms specific to a compiler or to generated text: "'npp::Kernel0::x_t' {aka
// 'const float'}" becomes "'float'".
std::string plain_message(std::string_view text);

}  // namespace numpy_plugin::explain
