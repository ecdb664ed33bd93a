// Modules, libraries and linking: valid code, and messages for invalid code.
#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "simulator/interface/client.hpp"
#include "simulator/interface/kernels.hpp"

namespace numpy_plugin::sim {
namespace {

class InterfaceModules : public testing::Test {
 protected:
  // The error of loading an image, with the driver's report.
  CUresult load_error(const void* image) {
    CUmodule module = nullptr;
    return the_driver().cuModuleLoadData(&module, image);
  }
  std::string report() { return the_driver().report(); }

 private:
  const SimulatedDevice device_;
};

TEST_F(InterfaceModules, HaveFunctionsByName) {
  const CUmodule module = load_ptx(kLimits);
  const CUfunction function = get_function(module, "exactly_32");
  EXPECT_EQ(get_function(module, "exactly_32"), function);
  EXPECT_NE(get_function(module, "at_most_64"), function);
  CUfunction none = nullptr;
  EXPECT_EQ(the_driver().cuModuleGetFunction(&none, module, "nothing"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(report(), "the module has no kernel 'nothing'");
}

TEST_F(InterfaceModules, HaveVariablesWithTheirFirstValues) {
  const CUmodule module = load_ptx(kVariables);
  CUdeviceptr table = 0;
  CUdeviceptr empty = 0;
  std::size_t n_bytes = 0;
  ASSERT_CUDA(the_driver().cuModuleGetGlobal(&empty, &n_bytes, module, "empty"));
  EXPECT_EQ(n_bytes, 8u);
  EXPECT_EQ(to_host<int>(empty, 2), (std::vector<int>{0, 0}));
  ASSERT_CUDA(the_driver().cuModuleGetGlobal(&table, &n_bytes, module, "table"));
  EXPECT_EQ(n_bytes, 16u);
  EXPECT_EQ(to_host<int>(table, 4), (std::vector<int>{1, 2, 3, 4}));
  const int hundred = 100;
  ASSERT_CUDA(the_driver().cuMemcpyHtoD(table, &hundred, sizeof hundred));
  CUdeviceptr sum = allocate(4);
  ASSERT_CUDA(launch(get_function(module, "sum"), 1, 1, {&sum}));
  EXPECT_EQ(to_host<int>(sum, 1), std::vector<int>{109});
  EXPECT_EQ(the_driver().cuModuleGetGlobal(&table, &n_bytes, module, "other"),
            CUDA_ERROR_NOT_FOUND);
}

TEST_F(InterfaceModules, GiveTheirMemoryBack) {
  std::size_t before = 0;
  std::size_t after = 0;
  std::size_t total = 0;
  ASSERT_CUDA(the_driver().cuMemGetInfo(&before, &total));
  const CUmodule module = load_ptx(kVariables);
  const CUfunction function = get_function(module, "sum");
  ASSERT_CUDA(the_driver().cuModuleUnload(module));
  ASSERT_CUDA(the_driver().cuMemGetInfo(&after, &total));
  EXPECT_EQ(after, before);
  EXPECT_EQ(the_driver().cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(launch(function, 1, 1, {}), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(InterfaceModules, SayWhatIsWrongAndWhere) {
  const std::string unknown = with_header(".visible .entry f()\n{\n  frob.u32 1;\n  ret;\n}\n");
  EXPECT_EQ(load_error(unknown.c_str()), CUDA_ERROR_INVALID_PTX);
  EXPECT_TRUE(contains(report(), "line 6") && contains(report(), "frob")) << report();
  EXPECT_EQ(load_error(kAddOne.substr(0, kAddOne.size() / 2).c_str()), CUDA_ERROR_INVALID_PTX);
  EXPECT_TRUE(report().starts_with("the PTX, line ")) << report();
  EXPECT_EQ(load_error(""), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(load_error("\x01\x02"), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(load_error("hello"), CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(load_error(nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(load_error(kCaller.c_str()), CUDA_ERROR_INVALID_PTX);
  EXPECT_TRUE(contains(report(), "twice")) << report();
}

TEST_F(InterfaceModules, AreOfAKnownVersionAndForTheDevice) {
  const std::string newer = ".version 99.0\n.target sm_75\n.address_size 64\n";
  EXPECT_EQ(load_error(newer.c_str()), CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  EXPECT_TRUE(contains(report(), "99.0")) << report();
  EXPECT_EQ(load_error(with_header("", "sm_100").c_str()), CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(report(), "the PTX is for sm_100 and the device is sm_90");
  EXPECT_EQ(load_error(with_header("", "sm_80a").c_str()), CUDA_ERROR_INVALID_PTX);
  EXPECT_CUDA(load_error(with_header("", "sm_90a").c_str()));
  EXPECT_CUDA(load_error(with_header("", "sm_75").c_str()));
}

TEST_F(InterfaceModules, AreNoMachineCodeNorLtoIr) {
  EXPECT_EQ(load_error("\x7f"
                       "ELF and so on"),
            CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_TRUE(contains(report(), "give it PTX or LTO-IR")) << report();
  EXPECT_EQ(load_error("\xed"
                       "CN\x7f"),
            CUDA_ERROR_INVALID_IMAGE);
  EXPECT_TRUE(contains(report(), "cuLinkAddData")) << report();
}

TEST_F(InterfaceModules, FillTheLogOfErrors) {
  std::array<char, 40> log = {};
  log.fill('x');
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_OPTIMIZATION_LEVEL};
  void* values[] = {log.data(), reinterpret_cast<void*>(std::uintptr_t{30}), nullptr};
  const std::string wrong = with_header("frob");
  CUmodule module = nullptr;
  EXPECT_EQ(the_driver().cuModuleLoadDataEx(&module, wrong.c_str(), 3, options, values),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(std::string(log.data()), report().substr(0, 29));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(values[1]), 29u);
  EXPECT_EQ(log[30], 'x');
  EXPECT_CUDA(the_driver().cuModuleLoadDataEx(&module, kAddOne.c_str(), 0, nullptr, nullptr));
}

template <class Number>
std::string bytes_of(Number value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

// A compressed text, as an entry of a fatbin has it.
struct Compressed {
  std::string data;
  std::uint32_t flag = 0;
};

// A block of the text as it is and seven times its last character, which are a match with it.
Compressed lz4_of(const std::string& text) {
  std::string block(1, '\xf3');
  std::size_t left = text.size() - 15;
  for (; left >= 255; left -= 255) block += '\xff';
  block += static_cast<char>(left);
  const std::string match = bytes_of(std::uint16_t{1});
  const std::string last(1, '\0');
  return {block + text + match + last, 0x2000};
}

// A frame of one block that is not compressed.
Compressed zstd_of(const std::string& text) {
  const auto n_bytes = static_cast<std::uint32_t>(text.size());
  return {
      "\x28\xb5\x2f\xfd\xa0" + bytes_of(n_bytes) + bytes_of(n_bytes << 3 | 1).substr(0, 3) + text,
      0x8000};
}

// A fatbin of one text, as written by the toolkit.
std::string fatbin_of(const std::string& text, unsigned architecture,
                      const Compressed& compressed = {}) {
  std::string data = compressed.data.empty() ? text : compressed.data;
  const auto n_compressed = static_cast<std::uint32_t>(compressed.data.size());
  data += std::string(8 - data.size() % 8, '\0');
  const std::string entry =
      bytes_of(std::uint16_t{1}) + bytes_of(std::uint16_t{0x101}) + bytes_of(std::uint32_t{64}) +
      bytes_of(std::uint64_t{data.size()}) + bytes_of(n_compressed) + std::string(8, '\0') +
      bytes_of(std::uint32_t{architecture}) + std::string(8, '\0') + bytes_of(compressed.flag) +
      std::string(12, '\0') + bytes_of(std::uint64_t{text.size()});
  return "\x50\xed\x55\xba" + bytes_of(std::uint16_t{1}) + bytes_of(std::uint16_t{16}) +
         bytes_of(std::uint64_t{entry.size() + data.size()}) + entry + data;
}

TEST_F(InterfaceModules, AreReadFromFatbins) {
  CUmodule module = nullptr;
  const std::string fatbin = fatbin_of(kStore, 75);
  ASSERT_CUDA(the_driver().cuModuleLoadData(&module, fatbin.data()));
  get_function(module, "store");
  struct {
    std::uint32_t magic = 0x466243b1;
    std::uint32_t version = 1;
    const void* data = nullptr;
  } wrapper;
  wrapper.data = fatbin.data();
  EXPECT_CUDA(the_driver().cuModuleLoadData(&module, &wrapper));
  EXPECT_EQ(load_error(fatbin_of(kStore, 100).data()), CUDA_ERROR_NO_BINARY_FOR_GPU);
}

TEST_F(InterfaceModules, AreReadFromCompressedFatbins) {
  const std::string text = kStore + std::string(8, '\n');
  const Compressed lz4 = lz4_of(kStore + "\n");
  for (const Compressed& compressed : {lz4, zstd_of(text)}) {
    CUmodule module = nullptr;
    ASSERT_CUDA(the_driver().cuModuleLoadData(&module, fatbin_of(text, 75, compressed).data()));
    get_function(module, "store");
    Compressed damaged = compressed;
    damaged.data.resize(damaged.data.size() / 2);
    EXPECT_EQ(load_error(fatbin_of(text, 75, damaged).data()), CUDA_ERROR_INVALID_IMAGE);
    EXPECT_EQ(report(), "the fatbin's compressed PTX is damaged");
  }
  Compressed unknown = lz4;
  unknown.flag = 0x1000;
  EXPECT_EQ(load_error(fatbin_of(text, 75, unknown).data()), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_TRUE(contains(report(), "compressed in a way")) << report();
}

TEST_F(InterfaceModules, AreReadFromFiles) {
  const std::string path = testing::TempDir() + "simulator_module.ptx";
  std::ofstream(path) << kLimits;
  CUmodule module = nullptr;
  ASSERT_CUDA(entry_point<CUresult(CUmodule*, const char*)>("cuModuleLoad")(&module, path.c_str()));
  const CUfunction function = get_function(module, "exactly_32");
  auto state = CU_FUNCTION_LOADING_STATE_UNLOADED;
  ASSERT_CUDA(entry_point<CUresult(CUfunctionLoadingState*, CUfunction)>("cuFuncIsLoaded")(
      &state, function));
  EXPECT_EQ(state, CU_FUNCTION_LOADING_STATE_LOADED);
  using LoadLibrary = CUresult(CUlibrary*, const char*, CUjit_option*, void**, unsigned,
                               CUlibraryOption*, void**, unsigned);
  auto* const load = entry_point<LoadLibrary>("cuLibraryLoadFromFile");
  CUlibrary library = nullptr;
  ASSERT_CUDA(load(&library, path.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  CUkernel kernel = nullptr;
  EXPECT_CUDA(entry_point<CUresult(CUkernel*, CUlibrary, const char*)>("cuLibraryGetKernel")(
      &kernel, library, "at_most_64"));
  ASSERT_EQ(std::remove(path.c_str()), 0);
  EXPECT_EQ(entry_point<CUresult(CUmodule*, const char*)>("cuModuleLoad")(&module, path.c_str()),
            CUDA_ERROR_FILE_NOT_FOUND);
  EXPECT_EQ(report(), "no file '" + path + "'");
}

TEST_F(InterfaceModules, FromLibrariesAreKernelsInEachContext) {
  auto* const load = entry_point<decltype(cuLibraryLoadData)>("cuLibraryLoadData");
  auto* const get_kernel = entry_point<decltype(cuLibraryGetKernel)>("cuLibraryGetKernel");
  auto* const get = entry_point<decltype(cuKernelGetFunction)>("cuKernelGetFunction");
  auto* const attribute = entry_point<decltype(cuKernelGetAttribute)>("cuKernelGetAttribute");
  auto* const unload = entry_point<decltype(cuLibraryUnload)>("cuLibraryUnload");
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  ASSERT_CUDA(load(&library, kStore.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  ASSERT_CUDA(get_kernel(&kernel, library, "store"));
  EXPECT_EQ(get_kernel(&kernel, library, "nothing"), CUDA_ERROR_NOT_FOUND);
  const auto run = [&](int value) {
    CUdeviceptr address = allocate(4);
    ASSERT_CUDA(launch(reinterpret_cast<CUfunction>(kernel), 1, 1, {&address, &value}));
    EXPECT_EQ(to_host<int>(address, 1), std::vector<int>{value});
  };
  run(5);
  CUfunction here = nullptr;
  ASSERT_CUDA(get(&here, kernel));
  CUfunction again = nullptr;
  ASSERT_CUDA(get(&again, kernel));
  EXPECT_EQ(again, here);
  {
    const SimulatedDevice other;
    run(6);
    CUfunction there = nullptr;
    ASSERT_CUDA(get(&there, kernel));
    EXPECT_NE(there, here);
    int n_threads = 0;
    EXPECT_CUDA(
        attribute(&n_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, other.ordinal()));
    EXPECT_EQ(n_threads, 1024);
  }
  run(7);
  ASSERT_CUDA(unload(library));
  EXPECT_EQ(launch(reinterpret_cast<CUfunction>(kernel), 1, 1, {}), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(load(&library, "frob", nullptr, nullptr, 0, nullptr, nullptr, 0),
            CUDA_ERROR_INVALID_PTX);
}

class InterfaceLinking : public InterfaceModules {
 protected:
  InterfaceLinking() { EXPECT_CUDA(the_driver().cuLinkCreate(0, nullptr, nullptr, &state_)); }
  ~InterfaceLinking() override { the_driver().cuLinkDestroy(state_); }

  CUresult add(std::string text, CUjitInputType type = CU_JIT_INPUT_PTX) {
    return the_driver().cuLinkAddData(state_, type, text.data(), text.size(), "input", 0, nullptr,
                                      nullptr);
  }
  CUresult complete(void** image) { return the_driver().cuLinkComplete(state_, image, &n_bytes_); }
  std::size_t n_bytes_ = 0;

 private:
  CUlinkState state_ = nullptr;
};

TEST_F(InterfaceLinking, BringsTwoTextsTogether) {
  ASSERT_CUDA(add(kCaller));
  ASSERT_CUDA(add(kCallee + std::string(1, '\0')));
  void* image = nullptr;
  ASSERT_CUDA(complete(&image));
  const std::string copy(static_cast<const char*>(image), n_bytes_);
  CUmodule module = nullptr;
  ASSERT_CUDA(the_driver().cuModuleLoadData(&module, copy.data()));
  CUdeviceptr data = to_device(std::vector<int>{21});
  ASSERT_CUDA(launch(get_function(module, "double_it"), 1, 1, {&data}));
  EXPECT_EQ(to_host<int>(data, 1), std::vector<int>{42});
}

TEST_F(InterfaceLinking, NamesWhatIsMissing) {
  ASSERT_CUDA(add(kCaller));
  void* image = nullptr;
  EXPECT_EQ(complete(&image), CUDA_ERROR_INVALID_PTX);
  EXPECT_TRUE(contains(report(), "twice")) << report();
}

TEST_F(InterfaceLinking, NamesWhatIsThereTwice) {
  ASSERT_CUDA(add(kCallee));
  ASSERT_CUDA(add(kCallee));
  void* image = nullptr;
  EXPECT_EQ(complete(&image), CUDA_ERROR_INVALID_PTX);
  EXPECT_TRUE(contains(report(), "twice")) << report();
}

TEST_F(InterfaceLinking, RefusesWhatItCanNotRead) {
  EXPECT_EQ(add("\x7f"
                "ELF",
                CU_JIT_INPUT_CUBIN),
            CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(add("frob"), CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(add(with_header("", "sm_120")), CUDA_ERROR_INVALID_PTX);
  void* image = nullptr;
  EXPECT_EQ(complete(&image), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(report(), "there is nothing to link");
}

TEST_F(InterfaceLinking, SaysWhatNvJitLinkSays) {
  ASSERT_CUDA(add(std::string("\xed"
                              "CN\x7f") +
                      std::string(60, '\0'),
                  CU_JIT_INPUT_NVVM));
  void* image = nullptr;
  const CUresult result = complete(&image);
  EXPECT_TRUE(result == CUDA_ERROR_JIT_COMPILER_NOT_FOUND || result == CUDA_ERROR_INVALID_IMAGE);
  EXPECT_TRUE(contains(report(), "nvJitLink")) << report();
}

}  // namespace
}  // namespace numpy_plugin::sim
