// Compilation with the NVRTCs of this machine, without a GPU.
#include "numpy_plugin/jit/nvrtc/nvrtc.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "jit/host/host_environment.hpp"
#include "jit/host/host_test_sources.hpp"
#include "jit/nvrtc/nvrtc_environment.hpp"
#include "numpy_plugin/explain/body_diagnostics.hpp"
#include "numpy_plugin/jit/nvrtc/nvrtc_program.hpp"

namespace numpy_plugin::jit {
namespace {

emit::Source scale_source(const std::string& mark) {
  return make_source(emit::Target::kCuda, "// " + mark + R"(
extern "C" __global__ void npp_contiguous_0(float* a, float factor, float other) {
  a[threadIdx.x] = a[threadIdx.x] * factor + other;
}
)",
                     "npp_contiguous_0", "");
}

// Each test runs for a driver of CUDA 12 and for one of CUDA 13.
class NvrtcTest : public HostEnvironment, public testing::WithParamInterface<int> {
 protected:
  void SetUp() override {
    if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC; NUMPY_PLUGIN_TEST_NVRTC can name one";
    options.driver_version = GetParam();
    library = &nvrtc_library({options.driver_version});
    if (library->major != GetParam() / 1000) {
      GTEST_SKIP() << "no NVRTC of version " << GetParam() / 1000 << " is installed";
    }
  }

  CudaOptions options;
  const NvrtcLibrary* library = nullptr;
};

INSTANTIATE_TEST_SUITE_P(EachDriver, NvrtcTest, testing::Values(12080, 13000));

TEST_P(NvrtcTest, tells_its_architectures) {
  EXPECT_NE(std::ranges::find(library->architectures, 90), library->architectures.end());
  EXPECT_EQ(known_architectures({options.driver_version}), library->architectures);
}

TEST_P(NvrtcTest, gives_cubin_ptx_and_resources_of_one_compilation) {
  const CudaBinary binary = compile_for_device(scale_source("all"), options);
  EXPECT_EQ(binary.arch, "sm_90");
  EXPECT_FALSE(binary.from_cache);
  EXPECT_TRUE(
      binary.cubin.starts_with("\x7f"
                               "ELF"));
  EXPECT_NE(binary.ptx.find(".entry npp_contiguous_0"), std::string::npos);
  ASSERT_EQ(binary.resources.size(), 1u);
  EXPECT_EQ(binary.resources[0].name, "npp_contiguous_0");
  EXPECT_GT(binary.resources[0].n_registers, 0);
}

TEST_P(NvrtcTest, arithmetic_is_rounded_step_by_step_unless_fast) {
  const std::string exact = compile_to_ptx(scale_source("exact"), options);
  EXPECT_NE(exact.find("mul.rn.f32"), std::string::npos) << exact;
  EXPECT_EQ(exact.find("fma."), std::string::npos) << exact;
  CudaOptions fast = options;
  fast.fast_math = base::all_fast_math();
  const std::string fused = compile_to_ptx(scale_source("exact"), fast);
  EXPECT_NE(fused.find("fma."), std::string::npos) << fused;
  fast.fast_math = {.arcp = true, .nsz = true};
  EXPECT_EQ(compile_to_ptx(scale_source("exact"), fast), exact);
}

TEST_P(NvrtcTest, compiles_for_every_architecture_it_names) {
  options.driver_version = 0;  // the newest: libraries for PTX are chosen by minor version too
  for (const int number : nvrtc_library().architectures) {
    const std::string arch = "sm_" + std::to_string(number);
    options.arch = arch;
    EXPECT_NE(compile_to_ptx(scale_source("arch"), options).find(".target " + arch),
              std::string::npos);
  }
}

TEST_P(NvrtcTest, takes_an_architecture_s_own_features) {
  options.arch = "sm_90a";
  EXPECT_NE(compile_for_device(scale_source("own"), options).ptx.find(".target sm_90a"),
            std::string::npos);
}

TEST_P(NvrtcTest, unknown_architecture_lists_the_known_ones) {
  for (const char* arch : {"sm_40", "sm_9", "90", "sm_", "", "gpu_90", "sm_90x", "sm_90 -I/"}) {
    options.arch = arch;
    try {
      compile_for_device(scale_source("unknown"), options);
      ADD_FAILURE() << arch << " compiled";
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::ErrorKind::kCompiler);
      const std::string text = error.what();
      EXPECT_TRUE(text.starts_with("unknown architecture '" + std::string(arch) + "'")) << text;
      EXPECT_NE(text.find("sm_90, "), std::string::npos) << text;
    }
  }
}

TEST_P(NvrtcTest, second_time_comes_from_the_cache) {
  const CudaBinary first = compile_for_device(scale_source("cache"), options);
  const CudaBinary second = compile_for_device(scale_source("cache"), options);
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(second.cubin, first.cubin);
  EXPECT_EQ(second.ptx, first.ptx);
  ASSERT_EQ(second.resources.size(), 1u);
  EXPECT_EQ(second.resources[0].n_registers, first.resources[0].n_registers);
  CudaOptions other = options;
  other.arch = "sm_80";
  EXPECT_FALSE(compile_for_device(scale_source("cache"), other).from_cache);
  CudaOptions unwanted = options;
  unwanted.use_cache = false;
  EXPECT_FALSE(compile_for_device(scale_source("cache"), unwanted).from_cache);
}

TEST_P(NvrtcTest, image_for_a_gpu_it_does_not_know_runs_there) {
  const emit::Source source = scale_source("image");
  options.arch = "sm_90";
  EXPECT_EQ(compile_image(source, options), compile_for_device(source, options).cubin);
  options.arch = "sm_99";  // machine code for sm_90 runs on it
  CudaOptions nearest = options;
  nearest.arch = "sm_90";
  EXPECT_EQ(compile_image(source, options), compile_for_device(source, nearest).cubin);
  options.arch = "sm_199";
  options.driver_version = 0;
  EXPECT_NE(compile_image(source, options).find(".target sm_12"), std::string::npos);
}

TEST_P(NvrtcTest, several_threads_compile_at_once) {
  std::vector<std::thread> threads;
  std::vector<std::string> texts(4);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    threads.emplace_back([this, &texts, i] {
      texts[i] = compile_to_ptx(scale_source("thread " + std::to_string(i)), options);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : texts) EXPECT_EQ(text, texts[0]);
}

TEST_P(NvrtcTest, templates_are_there_to_include) {
  emit::Source source = scale_source("include");
  for (const emit::TemplateFile& file : emit::template_files()) {
    if (file.name.find("cpu") != std::string_view::npos) continue;
    source.text = "#include \"" + std::string(file.name) + "\"\n" + source.text;
  }
  EXPECT_FALSE(compile_to_ptx(source, options).empty());
}

TEST_P(NvrtcTest, function_without_a_definition_is_named) {
  emit::Source source = scale_source("undefined");
  source.text =
      "extern \"C\" __device__ float made_up(float);\n"
      "extern \"C\" __global__ void k(float* a) { a[0] = made_up(a[0]); }\n" +
      source.text;
  try {
    compile_for_device(source, options);
    FAIL() << "it compiled";
  } catch (const base::Error& error) {
    EXPECT_NE(std::string(error.what()).find("'made_up' is called but not defined"),
              std::string::npos)
        << error.what() << error.log();
  }
}

TEST_P(NvrtcTest, error_outside_a_body_keeps_the_compiler_s_words_and_place) {
  emit::Source source = scale_source("broken");
  source.text += "int f() { return nowhere; }\n";
  try {
    compile_to_ptx(source, options);
    FAIL() << "it compiled";
  } catch (const explain::CompileError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("'nowhere'"), std::string::npos) << text;
    EXPECT_NE(text.find("npp-generated.cu, line 5"), std::string::npos) << text;
    EXPECT_NE(error.log().find("nowhere"), std::string::npos);
  }
}

TEST_P(NvrtcTest, refused_option_is_an_error_with_nvrtc_s_words) {
  try {
    compile_program(*library, scale_source("option"), {"-no-such-option"});
    FAIL() << "it compiled";
  } catch (const base::Error& error) {
    EXPECT_NE(std::string(error.what()).find("INVALID_OPTION"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace numpy_plugin::jit
