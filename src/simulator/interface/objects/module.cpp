// Code in a context.
#include "simulator/interface/objects/module.hpp"

#include <algorithm>
#include <cstring>

#include "numpy_plugin/base/error.hpp"
#include "simulator/device/memory.hpp"
#include "simulator/handlers/handlers.hpp"
#include "simulator/interface/driver/image.hpp"
#include "simulator/program/spelling.hpp"

namespace numpy_plugin::sim {
namespace {

// The user has no name for variables of generated code.
std::string origin_of(const GlobalVariable& variable, const CodeDescription& description) {
  if (!description.declaration.file.empty()) return format("data of '{}'", description.name);
  return format("variable '{}' of a module", readable_name(variable.name));
}

}  // namespace

LoadedModule::LoadedModule(std::shared_ptr<Context> context, const std::vector<Module>& parsed,
                           CodeDescription description)
    : variables_(std::move(context)) {
  require_target(parsed, variables_.context->device().architecture());
  static const HandlerFinder find_handler = handler_finder();
  const auto place = [&](const GlobalVariable& variable) {
    return variables_.place(variable, description);
  };
  code_ = decode_modules(parsed, {find_handler, place});
  code_.program->description = std::move(description);
  for (const auto& [name, variable] : code_.variables) fill(variable);
}

LoadedModule::Variables::~Variables() {
  for (const std::uint64_t address : addresses) context->memory().free(address);
}

std::uint64_t LoadedModule::Variables::place(const GlobalVariable& variable,
                                             const CodeDescription& description) {
  const std::uint64_t n_bytes = std::max<std::uint64_t>(variable.n_bytes, 1);
  const auto address = context->memory().allocate(n_bytes, origin_of(variable, description));
  require(address.has_value(), CUDA_ERROR_OUT_OF_MEMORY, "for a module's variables");
  addresses.push_back(*address);
  return *address;
}

// Variables without an initializer are zero.
void LoadedModule::fill(const GlobalVariable& variable) {
  const auto placed = code_.addresses.find(variable.name);
  NPP_ASSERT(placed != code_.addresses.end(), variable.name);
  std::vector<std::byte> bytes(variable.n_bytes);
  for (const Initializer& part : variable.initializers) {
    NPP_ASSERT(part.symbol.empty(), variable.name);  // decode() has resolved the address
    NPP_ASSERT(part.offset + part.bytes.size() <= bytes.size(), variable.name);
    std::memcpy(bytes.data() + part.offset, part.bytes.data(), part.bytes.size());
  }
  const std::string problem =
      copy_in(context()->memory(), placed->second, bytes.data(), bytes.size());
  NPP_ASSERT(problem.empty(), problem);
  if (variable.is_constant) context()->memory().set_read_only(placed->second);
}

bool LoadedModule::has_variable_at(std::uint64_t address) const {
  const auto& all = variables_.addresses;
  return std::find(all.begin(), all.end(), address) != all.end();
}

CUfunction LoadedModule::function(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto known = functions_.find(name);
  if (known != functions_.end()) return known->second;
  const auto& all = program().functions;
  const auto found = std::find_if(all.begin(), all.end(), [&](const FunctionCode& code) {
    return code.is_entry && code.name == name;
  });
  if (found == all.end()) {
    throw CallError(CUDA_ERROR_NOT_FOUND, format("the module has no kernel '{}'", name));
  }
  const CUfunction handle =
      sim::functions().add(std::make_shared<LoadedFunction>(shared_from_this(), *found));
  functions_.emplace(name, handle);
  return handle;
}

LoadedModule::Place LoadedModule::find_variable(const std::string& name) const {
  const auto variable = code_.variables.find(name);
  if (variable == code_.variables.end()) {
    throw CallError(CUDA_ERROR_NOT_FOUND, format("the module has no variable '{}'", name));
  }
  return {code_.addresses.at(name), variable->second.n_bytes};
}

std::uint64_t LoadedModule::constant_bytes() const {
  std::uint64_t n_bytes = 0;
  for (const auto& [name, variable] : code_.variables) {
    if (variable.is_constant) n_bytes += variable.n_bytes;
  }
  return n_bytes;
}

std::vector<std::string> LoadedModule::entry_names() const {
  std::vector<std::string> names;
  for (const FunctionCode& code : program().functions) {
    if (code.is_entry) names.push_back(code.name);
  }
  return names;
}

Handles<CUmodule, LoadedModule>& modules() {
  static auto& handles = *new Handles<CUmodule, LoadedModule>;
  return handles;
}

CUmodule load_module(const std::shared_ptr<Context>& context, const std::vector<Module>& parsed,
                     CodeDescription description) {
  return modules().add(std::make_shared<LoadedModule>(context, parsed, std::move(description)));
}

void unload_module(CUmodule handle) {
  const std::shared_ptr<LoadedModule> module = modules().remove(handle);
  functions().remove_if(
      [&](const LoadedFunction& function) { return &function.module() == module.get(); });
}

}  // namespace numpy_plugin::sim
