// The library's exports, and the look-up of entry points by name.
#include <array>
#include <cstdio>
#include <map>

#include "simulator/interface/client.hpp"

namespace numpy_plugin::sim {
namespace {

using GetProcAddress = CUresult(const char*, void**, int, cuuint64_t,
                                CUdriverProcAddressQueryResult*);

constexpr int kNewest = 13050;  // a client's, of CUDA 13.5

void* find(const char* name, int version, CUdriverProcAddressQueryResult* status = nullptr) {
  void* function = nullptr;
  entry_point<GetProcAddress>("cuGetProcAddress_v2")(name, &function, version, 0, status);
  return function;
}

void* symbol(const char* name) { return reinterpret_cast<void*>(entry_point<void()>(name)); }

TEST(InterfaceExports, AreFoundByNameAndVersion) {
  EXPECT_EQ(find("cuMemAlloc", kNewest), symbol("cuMemAlloc_v2"));
  EXPECT_EQ(find("cuCtxGetDevice", 12000), symbol("cuCtxGetDevice"));
  EXPECT_EQ(find("cuCtxGetDevice", kNewest), symbol("cuCtxGetDevice_v2"));
  EXPECT_EQ(find("cuEventElapsedTime", kNewest), symbol("cuEventElapsedTime_v2"));
  auto status = CU_GET_PROC_ADDRESS_SUCCESS;
  EXPECT_EQ(find("cuWGLGetDevice", kNewest, &status), nullptr);
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  EXPECT_EQ(find("cuMemAlloc", 1000, &status), nullptr);
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  EXPECT_NE(find("cuMemAlloc", 12000, &status), nullptr);
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SUCCESS);
}

TEST(InterfaceExports, AreAllThatTheTableHas) {
#define NPP_EXPORTED(name, function, version)         \
  EXPECT_NE(symbol(#function), nullptr) << #function; \
  EXPECT_NE(find(#name, kNewest), nullptr) << #name;
#include "simulator/interface/driver/exported.def"
}

TEST(InterfaceExports, RefuseByNameWhatIsNotSimulated) {
  const SimulatedDevice device;
  int n_functions = 0;
  const auto check = [&](const char* name, const char* function, int version, const char* what) {
    EXPECT_EQ(find(name, version), symbol(function)) << function;
    auto* const refused = entry_point<CUresult()>(function);
    ASSERT_NE(refused, nullptr) << function;
    EXPECT_EQ(refused(), CUDA_ERROR_NOT_SUPPORTED) << function;
    EXPECT_EQ(the_driver().report(), std::string(name) + ": " + what + " are not simulated");
    ++n_functions;
  };
#define NPP_REFUSED(name, function, version, what) check(#name, #function, version, what);
#include "simulator/interface/driver/refused.def"
  EXPECT_GT(n_functions, 300);
}

TEST(InterfaceExports, AreInOneOfTheTablesEachOnce) {
  std::map<std::string, int> n_rows;
#define NPP_EXPORTED(name, function, version) ++n_rows[std::string(#name) + #version];
#include "simulator/interface/driver/exported.def"
#define NPP_REFUSED(name, function, version, what) ++n_rows[std::string(#name) + #version];
#include "simulator/interface/driver/refused.def"
  for (const auto& [row, count] : n_rows) EXPECT_EQ(count, 1) << row;
}

TEST(InterfaceExports, AreFunctionsOfTheDriverAndTheSimulatorAlone) {
  const std::string command = std::string("nm -D --defined-only '") + NPP_SIMULATOR + "'";
  std::FILE* const output = ::popen(command.c_str(), "r");
  ASSERT_NE(output, nullptr);
  std::array<char, 512> line = {};
  int n_symbols = 0;
  while (std::fgets(line.data(), line.size(), output) != nullptr) {
    const std::string text(line.data());
    const std::string name = text.substr(text.rfind(' ') + 1);
    EXPECT_TRUE(name.starts_with("cu") || name.starts_with("npp_simulator_")) << text;
    ++n_symbols;
  }
  if (::pclose(output) != 0) GTEST_SKIP() << "there is no nm";
  EXPECT_GT(n_symbols, 100);
}

TEST(InterfaceExports, HaveNoTablesWithoutNames) {
  const void* table = &table;
  const CUuuid id = {};
  auto* const get = entry_point<CUresult(const void**, const CUuuid*)>("cuGetExportTable");
  EXPECT_EQ(get(&table, &id), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(table, nullptr);
}

TEST(InterfaceExports, NameErrors) {
  const char* text = nullptr;
  ASSERT_CUDA(the_driver().cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
  EXPECT_STREQ(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
  ASSERT_CUDA(the_driver().cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
  EXPECT_STREQ(text, "out of memory");
  EXPECT_EQ(the_driver().cuGetErrorName(static_cast<CUresult>(12), &text),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(text, nullptr);
  EXPECT_EQ(the_driver().cuInit(1), CUDA_ERROR_INVALID_VALUE);
  int version = 0;
  ASSERT_CUDA(the_driver().cuDriverGetVersion(&version));
  EXPECT_EQ(version, 13050);
}

}  // namespace
}  // namespace numpy_plugin::sim
