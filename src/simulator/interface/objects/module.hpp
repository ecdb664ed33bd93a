// Loaded code: modules of a context, their functions, and libraries, which are loaded lazily as a
// module of each context.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "simulator/decode/decode.hpp"
#include "simulator/interface/driver/handles.hpp"
#include "simulator/interface/objects/context.hpp"

namespace numpy_plugin::sim {

class LoadedModule : public std::enable_shared_from_this<LoadedModule> {
 public:
  // Places and initializes the variables and decodes. Throws CallError with the line of the PTX.
  LoadedModule(std::shared_ptr<Context> context, const std::vector<Module>& parsed,
               CodeDescription description = {});

  const std::shared_ptr<Context>& context() const { return variables_.context; }
  const Program& program() const { return *code_.program; }

  // Always the same handle; throws CallError for unknown entries.
  CUfunction function(const std::string& name);
  struct Place {
    std::uint64_t address = 0;
    std::uint64_t n_bytes = 0;
  };
  Place find_variable(const std::string& name) const;  // throws CallError
  bool has_variable_at(std::uint64_t address) const;
  std::vector<std::string> entry_names() const;
  std::uint64_t constant_bytes() const;  // of variables in .const

 private:
  struct Variables {
    explicit Variables(std::shared_ptr<Context> owner) : context(std::move(owner)) {}
    ~Variables();
    Variables(const Variables&) = delete;
    Variables& operator=(const Variables&) = delete;

    std::uint64_t place(const GlobalVariable& variable, const CodeDescription& description);

    const std::shared_ptr<Context> context;
    std::vector<std::uint64_t> addresses;
  };

  void fill(const GlobalVariable& variable);

  Variables variables_;
  DecodedModule code_;
  std::mutex mutex_;
  std::map<std::string, CUfunction> functions_;
};

class LoadedFunction {
 public:
  LoadedFunction(std::shared_ptr<LoadedModule> module, const FunctionCode& code);

  const std::shared_ptr<Context>& context() const { return module_->context(); }
  const LoadedModule& module() const { return *module_; }
  const FunctionCode& code() const { return code_; }
  CUfunction handle() const { return module_->function(code_.name); }

  int attribute(CUfunction_attribute attribute) const;  // throws CallError
  void set_attribute(CUfunction_attribute attribute, int value);
  int n_registers() const;
  int max_threads() const;
  int max_dynamic_shared_bytes() const { return max_dynamic_shared_bytes_; }
  // Number of blocks resident on a multiprocessor.
  int n_resident_blocks(int n_threads, std::uint64_t dynamic_shared_bytes) const;

 private:
  const Architecture& architecture() const { return context()->device().architecture(); }

  const std::shared_ptr<LoadedModule> module_;
  const FunctionCode& code_;
  std::atomic<int> max_dynamic_shared_bytes_;
  std::atomic<int> carveout_ = CU_SHAREDMEM_CARVEOUT_DEFAULT;
};

class Library {
 public:
  explicit Library(std::vector<Module> parsed) : parsed_(std::move(parsed)) {}
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  CUmodule module_in(const std::shared_ptr<Context>& context);
  CUkernel kernel(CUlibrary self, const std::string& name);  // throws CallError
  void forget(CUcontext context);                            // which has unloaded the module

 private:
  bool has_entry(const std::string& name) const;

  const std::vector<Module> parsed_;
  std::mutex mutex_;
  std::map<CUcontext, CUmodule> modules_;
  std::map<std::string, CUkernel> kernels_;
};

// A kernel of a library: a function in each context.
struct Kernel {
  CUlibrary library = nullptr;
  std::string name;
};

Handles<CUmodule, LoadedModule>& modules();
Handles<CUfunction, LoadedFunction>& functions();
Handles<CUlibrary, Library>& libraries();
Handles<CUkernel, Kernel>& kernels();

CUmodule load_module(const std::shared_ptr<Context>& context, const std::vector<Module>& parsed,
                     CodeDescription description = {});
void unload_module(CUmodule handle);

// A function, or a kernel's function in the current context.
std::shared_ptr<LoadedFunction> find_function(CUfunction handle);
// In a device's context; independent of the thread's current one.
std::shared_ptr<LoadedFunction> find_kernel(CUkernel handle,
                                            const std::shared_ptr<Context>& context);

}  // namespace numpy_plugin::sim
