// PTX records only the sizes of parameters and results. The device ABI widens anything below 4
// bytes.
#include "numpy_plugin/jit/nvrtc/nvjitlink.hpp"

#include <algorithm>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/jit/nvrtc/ptx_signature.hpp"

namespace numpy_plugin::jit {
namespace {

using base::Error;
using base::ErrorKind;

std::size_t bytes_of(const declare::OperandType& type) {
  return std::max<std::size_t>(4, static_cast<std::size_t>(base::info(type.dtype).n_bytes));
}

bool has_size(const KernelParameter& found, const declare::OperandType& declared) {
  return !found.is_array && found.n_bytes == bytes_of(declared);
}

bool fits(const FunctionSignature& found, const declare::TypeSignature& declared) {
  return found.results.size() == 1 && has_size(found.results.front(), declared.outputs.front()) &&
         std::equal(found.parameters.begin(), found.parameters.end(), declared.inputs.begin(),
                    declared.inputs.end(), has_size);
}

std::string texts_of(const std::vector<KernelParameter>& parameters) {
  std::vector<std::string> texts;
  for (const KernelParameter& parameter : parameters) texts.push_back(parameter_text(parameter));
  return base::join(texts, ", ");
}

void check_types(const std::string& name, const declare::TypeSignature& declared,
                 const FunctionSignature& found, const std::string& file) {
  if (fits(found, declared)) return;
  throw Error(ErrorKind::kSignature,
              format("'{}' is declared as {}; in {} it takes ({}) and returns {}", name,
                     declared.text(), file, texts_of(found.parameters),
                     found.results.empty() ? "nothing" : texts_of(found.results)));
}

// "bar" for "bar(int, int)".
std::string plain_name(const std::string& mangled) {
  const std::string text = demangled(mangled);
  return text.substr(0, text.find('('));
}

[[noreturn]] void report_missing(const std::string& name, const std::vector<LinkedPart>& parts,
                                 const std::vector<std::string>& known) {
  std::vector<std::string> files, shown;
  for (const LinkedPart& part : parts) files.push_back(part.name);
  std::string hint;
  for (const std::string& each : known) {
    shown.push_back(demangled(each));
    if (plain_name(each) == name) hint = "put extern \"C\" before " + shown.back();
  }
  if (const std::string near = base::nearest(name, known); hint.empty() && !near.empty()) {
    hint = format("did you mean '{}'?", near);
  }
  throw Error(ErrorKind::kValue,
              format("{} {} no function '{}'; {}{}", base::join(files, ", "),
                     files.size() == 1 ? "has" : "have", name,
                     shown.empty() ? "there is none" : "there is " + base::join(shown, ", "),
                     hint.empty() ? "" : "\n  hint: " + hint));
}

}  // namespace

void check_device_code(const LinkedPart& part) {
  if (code_kind(part.bytes) != CodeKind::kUnknown) return;
  throw Error(ErrorKind::kValue, format("{} is not device code; expected PTX, a cubin, an object, "
                                        "LTO-IR, a fatbin or a library of them",
                                        part.name));
}

void check_linked_function(const std::string& name, const declare::TypeSignature& signature,
                           const std::vector<LinkedPart>& parts) {
  std::vector<std::string> known;
  bool is_all_ptx = true;
  for (const LinkedPart& part : parts) {
    if (code_kind(part.bytes) != CodeKind::kPtx) {
      is_all_ptx = false;
      continue;
    }
    for (const FunctionSignature& found : read_function_signatures(part.bytes)) {
      if (found.name == name) return check_types(name, signature, found, part.name);
      known.push_back(found.name);
    }
  }
  if (is_all_ptx) report_missing(name, parts, known);
}

}  // namespace numpy_plugin::jit
