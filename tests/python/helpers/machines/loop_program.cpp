// Runs one loop of a kernels' library on operands from standard input, for other processors.
// Usage: loop_program LIBRARY LOOP N SPACING N_INPUTS ITEM_SIZE...
// Operands lie SPACING elements apart; the outputs' bytes go to standard output.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "numpy_plugin/run/cpu/elementwise_driver.hpp"

using Loop = void (*)(char**, const long*, const long*, void*);

int main(int count, char** words) {
  void* const library = dlopen(words[1], RTLD_NOW);
  if (library == nullptr) return std::fprintf(stderr, "%s\n", dlerror()), 2;
  const std::string name = std::string("npp_loop_") + words[2];
  const Loop loop = reinterpret_cast<Loop>(dlsym(library, name.c_str()));
  const void** const driver = static_cast<const void**>(dlsym(library, "npp_driver"));
  if (driver != nullptr) *driver = &numpy_plugin::run::elementwise_driver();

  const long n = std::atol(words[3]), spacing = std::atol(words[4]);
  const int n_inputs = std::atoi(words[5]);
  std::vector<std::vector<char>> operands;
  std::vector<char*> pointers;
  std::vector<long> steps, sizes;
  for (int word = 6; word < count; ++word) {
    sizes.push_back(std::atol(words[word]));
    steps.push_back(sizes.back() * spacing);
    operands.emplace_back(static_cast<std::size_t>(n * steps.back()));
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    pointers.push_back(operands[i].data());
    if (i >= static_cast<std::size_t>(n_inputs)) continue;
    for (long k = 0; k < n; ++k) {
      char* const element = operands[i].data() + k * steps[i];
      if (std::fread(element, static_cast<std::size_t>(sizes[i]), 1, stdin) != 1) return 3;
    }
  }
  loop(pointers.data(), &n, steps.data(), nullptr);
  for (std::size_t i = static_cast<std::size_t>(n_inputs); i < operands.size(); ++i)
    for (long k = 0; k < n; ++k)
      std::fwrite(operands[i].data() + k * steps[i], static_cast<std::size_t>(sizes[i]), 1, stdout);
}
