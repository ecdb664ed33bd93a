// An NVRTC program from creation to destruction. The templates are its headers, from memory.
#include "numpy_plugin/jit/nvrtc_program.hpp"

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/jit/body_diagnostics.hpp"

namespace numpy_plugin::jit {
namespace {

std::string compiler_name(const NvrtcLibrary& library) {
  return "NVRTC " + std::to_string(library.major) + '.' + std::to_string(library.minor);
}

class Program {
 public:
  Program(const NvrtcLibrary& library, const emit::Source& source) : library_(library) {
    // NVRTC wants texts that end in a null, which views of the templates do not promise.
    std::vector<std::string> texts;
    std::vector<const char*> headers, names;
    for (const emit::TemplateFile& file : emit::template_files()) {
      texts.emplace_back(file.name);
      texts.emplace_back(file.text);
    }
    for (std::size_t i = 0; i < texts.size(); i += 2) {
      names.push_back(texts[i].c_str());
      headers.push_back(texts[i + 1].c_str());
    }
    check(
        library.nvrtcCreateProgram(&program_, source.text.c_str(), "npp-generated.cu",
                                   static_cast<int>(headers.size()), headers.data(), names.data()),
        "creating a program");
  }
  ~Program() { library_.nvrtcDestroyProgram(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

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

 private:
  using GetSize = int (*)(void*, std::size_t*);
  using GetBytes = int (*)(void*, char*);

  void check(int result, const std::string& step) const {
    if (result == 0) return;
    throw base::Error(base::ErrorKind::kCompiler, compiler_name(library_) + " failed at " + step +
                                                      ": " + library_.nvrtcGetErrorString(result));
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

bool is_virtual(const std::vector<std::string>& options) {
  for (const std::string& option : options) {
    if (option.starts_with("-arch=compute_")) return true;
  }
  return false;
}

}  // namespace

NvrtcOutput compile_program(const NvrtcLibrary& library, const emit::Source& source,
                            const std::vector<std::string>& options) {
  Program program(library, source);
  const int result = program.compile(options);
  const std::string log = program.log();
  if (result != 0) {
    throw make_compile_error(
        source, base::join(options, " ") + '\n' + log, LogForm::kNvrtc,
        compiler_name(library) + " reported " + library.nvrtcGetErrorString(result));
  }
  return {program.ptx(), is_virtual(options) ? "" : program.cubin(), log};
}

}  // namespace numpy_plugin::jit
