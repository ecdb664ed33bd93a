// Messages of inference: places in the source, the user's own words, errors and
// warnings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/infer/core/infer_values.hpp"
#include "numpy_plugin/infer/core/kernel_inference.hpp"

namespace numpy_plugin::declare {

class FunctionReport {
 protected:
  FunctionReport(KernelInference& kernel, const FunctionTask& task)
      : kernel_(kernel),
        task_(task),
        syntax_(*task.syntax),
        source_base_(kernel.source_base(*task.syntax)) {}

  Place place(const SyntaxNode& node) const;
  Place keyword_place(const SyntaxNode& node, std::string_view keyword) const;
  Place first_line_place(const SyntaxNode& node) const;
  Place find_token(std::string_view token, const Place& from, const Place& to) const;
  std::string text(const SyntaxNode& node) const;
  std::string text(const Place& where) const;
  std::string inner_text(const SyntaxNode& node) const;
  Value error(const Place& where, std::string message, std::string hint = {},
              std::vector<Note> notes = {});
  void warn(const Place& where, std::string message, std::string hint = {},
            std::vector<Note> notes = {});

  KernelInference& kernel_;
  const FunctionTask& task_;
  const FunctionSyntax& syntax_;
  int source_base_;
  Findings findings_;  // of the walk under way
};

}  // namespace numpy_plugin::declare
