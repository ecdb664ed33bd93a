// Parser of .file and .loc, which give the source lines of instructions.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "simulator/assembly/lexer.hpp"
#include "simulator/assembly/source_location.hpp"

namespace numpy_plugin::sim {

class SourceLines {
 public:
  // ".file 1 "add.cu", 1700000000, 4096"
  void parse_file(Lexer& lexer);
  // ".loc 2 5710 1, function_name $L__name, inlined_at 1 331 28": returns its index, or kNoLocation
  // for line 0, which stands for no line.
  std::uint32_t parse_location(Lexer& lexer);

  const std::map<std::uint32_t, std::string>& files() const { return files_; }
  const std::vector<SourceLocation>& locations() const { return locations_; }

 private:
  using Point = std::array<std::uint32_t, 3>;  // file, line, column

  static Point parse_point(Lexer& lexer);

  std::map<std::uint32_t, std::string> files_;
  std::vector<SourceLocation> locations_;
  std::map<Point, std::uint32_t> latest_;  // index of a point's last location
};

}  // namespace numpy_plugin::sim
