// Lifetime of an NVRTC program. Templates are passed as in-memory headers.
#include "numpy_plugin/jit/nvrtc/nvrtc_program.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/explain/body_diagnostics.hpp"
#include "numpy_plugin/system/fork.hpp"
#include "numpy_plugin/system/process_end.hpp"

namespace numpy_plugin::jit {
namespace {

// Headers for NVRTC: null-terminated strings, which views of the templates are not.
struct Headers {
  std::vector<std::string> texts;
  std::vector<const char*> names, contents;

  // Files of the user's directories come first.
  explicit Headers(const NvrtcInput& input) {
    for (const emit::TemplateFile& file : emit::template_files()) add(file.name, file.text);
    add_named(input);
    for (std::size_t i = 0; i < texts.size(); i += 2) {
      names.push_back(texts[i].c_str());
      contents.push_back(texts[i + 1].c_str());
    }
  }

 private:
  void add_named(const NvrtcInput& input) {
    for (const emit::NamedHeader& header : emit::named_headers()) {
      const bool has_file =
          std::any_of(input.directories.begin(), input.directories.end(),
                      [&](const std::filesystem::path& directory) {
                        std::error_code ignored;
                        return std::filesystem::exists(directory / header.name, ignored);
                      });
      const std::string_view text = input.has_cudas_headers ? header.beside_cudas : header.for_cuda;
      if (!has_file && !text.empty()) add(header.name, text);
    }
  }

  void add(std::string_view name, std::string_view text) {
    texts.emplace_back(name);
    texts.emplace_back(text);
  }
};

class Program {
 public:
  Program(const NvrtcLibrary& library, const NvrtcInput& input) : library_(library) {
    const Headers headers(input);
    check(library.nvrtcCreateProgram(&program_, input.text.c_str(), input.file.c_str(),
                                     static_cast<int>(headers.names.size()),
                                     headers.contents.data(), headers.names.data()),
          "creating a program");
  }
  ~Program() { library_.nvrtcDestroyProgram(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void add_name(const std::string& expression) {
    check(library_.nvrtcAddNameExpression(program_, expression.c_str()), "naming a kernel");
  }

  int compile(const std::vector<std::string>& options) {
    std::vector<const char*> words;
    for (const std::string& option : options) words.push_back(option.c_str());
    return library_.nvrtcCompileProgram(program_, static_cast<int>(words.size()), words.data());
  }

  std::string log() const {
    std::string text = read(library_.nvrtcGetProgramLogSize, library_.nvrtcGetProgramLog, "log");
    return text.substr(0, text.find('\0'));
  }
  std::string ptx() const {
    std::string text = read(library_.nvrtcGetPTXSize, library_.nvrtcGetPTX, "PTX");
    return text.substr(0, text.find('\0'));
  }
  std::string cubin() const {
    return read(library_.nvrtcGetCUBINSize, library_.nvrtcGetCUBIN, "cubin");
  }
  std::string lto_ir() const {
    return read(library_.nvrtcGetLTOIRSize, library_.nvrtcGetLTOIR, "LTO-IR");
  }
  std::string lowered_name(const std::string& expression) const {
    const char* name = nullptr;
    check(library_.nvrtcGetLoweredName(program_, expression.c_str(), &name),
          "reading a kernel's name");
    return name;
  }

 private:
  using GetSize = int (*)(void*, std::size_t*);
  using GetBytes = int (*)(void*, char*);

  void check(int result, const std::string& step) const {
    if (result == 0) return;
    throw base::Error(base::ErrorKind::kCompiler,
                      format("{} failed at {}: {}", compiler_name(library_), step,
                             library_.nvrtcGetErrorString(result)));
  }

  std::string read(GetSize get_size, GetBytes get_bytes, const std::string& what) const {
    std::size_t n_bytes = 0;
    check(get_size(program_, &n_bytes), "the size of its " + what);
    std::string bytes(n_bytes, '\0');
    if (n_bytes > 0) check(get_bytes(program_, bytes.data()), "reading its " + what);
    return bytes;
  }

  const NvrtcLibrary& library_;
  void* program_ = nullptr;
};

// A handler that exit calls before it destroys the objects that NVRTC has made so far: for exits
// without the end of Python.
int stop_threads_at_exit() { return std::atexit(system::stop_other_threads); }

bool has_option(const std::vector<std::string>& options, std::string_view beginning) {
  return std::any_of(options.begin(), options.end(), [beginning](const std::string& option) {
    return option.starts_with(beginning);
  });
}

}  // namespace

NvrtcResult run_nvrtc(const NvrtcLibrary& library, const NvrtcInput& input) {
  const system::ForkHold hold;  // a forked child would find NVRTC's locks held
  Program program(library, input);
  for (const std::string& name : input.name_expressions) program.add_name(name);
  const int code = program.compile(input.options);
  system::made_once<stop_threads_at_exit>();
  NvrtcResult result;
  result.output.log = program.log();
  if (code != 0) {
    result.failure = library.nvrtcGetErrorString(code);
    return result;
  }
  if (has_option(input.options, "-dlto")) {
    result.output.lto_ir = program.lto_ir();
    return result;
  }
  result.output.ptx = program.ptx();
  if (!has_option(input.options, "-arch=compute_")) result.output.cubin = program.cubin();
  for (const std::string& name : input.name_expressions) {
    result.lowered_names.push_back(program.lowered_name(name));
  }
  return result;
}

NvrtcOutput compile_program(const NvrtcLibrary& library, const emit::Source& source,
                            const std::vector<std::string>& options) {
  NvrtcResult result = run_nvrtc(library, {source.text, "npp-generated.cu", options, {}, {}});
  if (!result.failure.empty()) {
    throw explain::make_compile_error(
        source, base::join(options, " ") + '\n' + result.output.log, explain::LogForm::kNvrtc,
        format("{} reported {}", compiler_name(library), result.failure));
  }
  return std::move(result.output);
}

}  // namespace numpy_plugin::jit
