#include "numpy_plugin/emit/printing/statement.hpp"

#include "numpy_plugin/base/text.hpp"

namespace numpy_plugin::emit {

using declare::Expression;
using declare::Statement;

ScratchPrinter::ScratchPrinter(const declare::Function& function, Scope& scope)
    : scope_(scope), sites_(analysis::find_scratch_sites(function)) {
  if (!sites_.empty()) frame_ = scope.names.add("frame");
  for (const analysis::ScratchSite& site : sites_) {
    if (!site.is_in_loop) continue;
    slots_.emplace(site.statement, Slots{scope.names.add("slots"), &site});
    for (const analysis::HeldArray& held : site.held) held_locals_.insert(held.local);
  }
}

std::vector<std::string> ScratchPrinter::first_lines() const {
  std::vector<std::string> lines;
  if (!sites_.empty()) {
    lines.push_back(format("const npp::ScratchFrame {}({});", frame_, scope_.scratch));
  }
  for (const analysis::ScratchSite& site : sites_) {
    if (!site.is_in_loop) continue;
    lines.push_back(
        format("npp::ScratchSlots<{}> {};", site.n_slots(), slots_.at(site.statement).name));
  }
  return lines;
}

std::string ScratchPrinter::address(const analysis::HeldArray& held) const {
  std::string text = scope_.locals.at(static_cast<std::size_t>(held.local));
  for (const int item : held.items) text = format("npp::get<{}>({})", item, text);
  return text + ".data()";
}

std::string ScratchPrinter::array(const Statement& statement,
                                  std::vector<std::string> sizes) const {
  const Expression& made = *statement.value;
  NPP_ASSERT(made.exception >= 0 && !scope_.scratch.empty(), std::to_string(made.exception));
  std::vector<std::string> arguments = {scope_.errors, scope_.scratch};
  const auto slots = slots_.find(&statement);
  if (slots != slots_.end()) {
    std::vector<std::string> addresses;
    for (const analysis::HeldArray& held : slots->second.site->held)
      addresses.push_back(address(held));
    arguments.push_back(slots->second.name);
    arguments.push_back(format("{}.unused({})", slots->second.name, base::join(addresses, ", ")));
  }
  arguments.insert(arguments.end(), sizes.begin(), sizes.end());
  return format("npp::{}<{}, {}>({})", slots == slots_.end() ? "new_array" : "renewed_array",
                made.exception + 1, base::info(made.type.dtype).cpp_name,
                base::join(arguments, ", "));
}

}  // namespace numpy_plugin::emit
