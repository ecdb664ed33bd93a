// Objects of the real compiler with suffixed names, linked with each other.
#include "numpy_plugin/jit/host/host_flags.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "jit/host/host_environment.hpp"
#include "jit/host/host_test_sources.hpp"
#include "numpy_plugin/jit/host/host_compiler.hpp"

namespace numpy_plugin::jit {
namespace {

class SuffixedSymbolsTest : public HostEnvironment {
 protected:
  // An object with an inline function, of which linkers keep one: it returns `value`.
  static std::string object(int value) {
    const std::string text = "template <class T> [[gnu::noinline]] T shared(T) { static T last = " +
                             std::to_string(value) +
                             "; return last; }\n"
                             "extern \"C\" double sin(double);\n"
                             "extern \"C\" __attribute__((visibility(\"default"
                             "\"))) int npp_answer() { return shared(1) + (sin(0.0) > 1); }\n";
    return object_for_host(make_source(emit::Target::kCpu, text, "npp_answer", ""), {});
  }

  std::string write(const std::string& name, const std::string& bytes) {
    const std::string path = directory() + '/' + name;
    EXPECT_TRUE(system::write_file_atomically(path, bytes));
    return path;
  }
};

TEST_F(SuffixedSymbolsTest, suffixed_objects_keep_functions_of_their_own) {
  const auto first = with_suffixed_symbols(object(1), "_first");
  const auto second = with_suffixed_symbols(object(2), "_second");
  ASSERT_TRUE(first.has_value() && second.has_value());
  const std::string linked = directory() + "/linked.so";
  link_module({write("first.o", *first), write("second.o", *second)}, linked);
  void* const library = ::dlopen(linked.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << ::dlerror();
  const auto answer = [&](const char* name) {
    const auto function = reinterpret_cast<int (*)()>(::dlsym(library, name));
    return function == nullptr ? -1 : function();
  };
  EXPECT_EQ(answer("npp_answer_first"), 1);
  EXPECT_EQ(answer("npp_answer_second"), 2);
  EXPECT_EQ(::dlsym(library, "npp_answer"), nullptr);
  ::dlclose(library);
}

TEST_F(SuffixedSymbolsTest, names_that_are_used_stay) {
  const std::string made = object(3);
  const auto changed = with_suffixed_symbols(made, "_suffix");
  ASSERT_TRUE(changed.has_value());
  EXPECT_EQ(undefined_symbols(*changed), undefined_symbols(made));
}

TEST_F(SuffixedSymbolsTest, other_and_damaged_files_are_refused) {
  EXPECT_EQ(with_suffixed_symbols("", "_x"), std::nullopt);
  EXPECT_EQ(with_suffixed_symbols("not an object", "_x"), std::nullopt);
  const std::string made = object(4);
  for (std::size_t n = 0; n < made.size(); n += 7) {
    with_suffixed_symbols(std::string_view(made).substr(0, n), "_x");  // reads nothing past its end
  }
  EXPECT_EQ(with_suffixed_symbols(std::string_view(made).substr(0, made.size() / 2), "_x"),
            std::nullopt);
}

}  // namespace
}  // namespace numpy_plugin::jit
