// The search for NVRTC and nvJitLink, in directories made here.
#include "numpy_plugin/jit/toolkit/toolkit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "jit/host/host_environment.hpp"
#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/system/dynamic_library.hpp"
#include "numpy_plugin/system/file.hpp"

namespace numpy_plugin::jit {
namespace {

namespace fs = std::filesystem;

class CudaLibrariesTest : public HostEnvironment {
 protected:
  void SetUp() override {
    for (const char* name : {"LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX"}) {
      set(name, "");
    }
    system::set_package_directories({root()});
  }
  void TearDown() override { system::set_package_directories({}); }

  std::string root() { return directory() + "/packages"; }

  // Files named like NVRTC's of a version, in a directory below the packages.
  void add(const std::string& below, int major, int minor) {
    const std::string to = root() + '/' + below;
    fs::create_directories(to);
    const std::string version = std::to_string(major);
    system::write_file_atomically(to + "/libnvrtc.so." + version, "not a library");
    system::write_file_atomically(
        to + "/libnvrtc-builtins.so." + version + '.' + std::to_string(minor), "");
  }

  // Versions below the packages, in order: "13.5 12.9".
  std::string found(int driver_version = 0, CodeForm form = CodeForm::kMachineCode) {
    std::vector<CudaLibraryFile> files = find_cuda_libraries("nvrtc");
    put_usable_first(files, driver_version, form);
    std::string versions;
    for (const CudaLibraryFile& file : files) {
      if (!file.path.starts_with(root())) continue;
      versions += (versions.empty() ? "" : " ") + std::to_string(file.major) + '.' +
                  std::to_string(file.minor);
    }
    return versions;
  }
};

TEST_F(CudaLibrariesTest, finds_packages_and_toolkits_newest_first) {
  EXPECT_EQ(found(), "");
  add("nvidia/cuda_nvrtc/lib", 12, 9);
  add("nvidia/cu13/lib", 13, 5);
  add("toolkit/lib64", 13, 7);
  EXPECT_EQ(found(), "13.5 12.9");
  set("CUDA_HOME", root() + "/toolkit");
  EXPECT_EQ(found(), "13.7 13.5 12.9");
  set("CUDA_HOME", "");
  set("LD_LIBRARY_PATH", "relative:" + root() + "/toolkit/lib64");
  EXPECT_EQ(found(), "13.7 13.5 12.9");
}

TEST_F(CudaLibrariesTest, leaves_bare_names_to_the_dynamic_linker) {
  const std::vector<CudaLibraryFile> files = find_cuda_libraries("nvJitLink");
  for (const char* name : {"libnvJitLink.so.13", "libnvJitLink.so.12"}) {
    EXPECT_EQ(std::ranges::count(files, name, &CudaLibraryFile::path), 1) << name;
  }
}

TEST_F(CudaLibrariesTest, driver_takes_machine_code_of_its_major_version) {
  add("nvidia/a/lib", 12, 4);
  add("nvidia/b/lib", 12, 9);
  add("nvidia/c/lib", 13, 0);
  add("nvidia/d/lib", 13, 5);
  EXPECT_EQ(found(12080), "12.9 12.4 13.0 13.5");
  EXPECT_EQ(found(13000), "13.5 13.0 12.9 12.4");
  EXPECT_EQ(found(14000), "13.5 13.0 12.9 12.4");
}

TEST_F(CudaLibrariesTest, driver_takes_ptx_no_newer_than_itself) {
  add("nvidia/a/lib", 12, 4);
  add("nvidia/b/lib", 12, 9);
  add("nvidia/d/lib", 13, 5);
  EXPECT_EQ(found(12080, CodeForm::kPtx), "12.4 12.9 13.5");
  EXPECT_EQ(found(13020, CodeForm::kPtx), "12.9 12.4 13.5");
}

TEST_F(CudaLibrariesTest, files_that_are_no_libraries_are_passed_over) {
  add("nvidia/cu13/lib", 13, 99);
  try {
    EXPECT_FALSE(nvrtc_library().path.starts_with(root()));
  } catch (const base::Error& error) {  // a machine without any other
    EXPECT_EQ(error.kind(), base::ErrorKind::kCompiler);
    EXPECT_NE(std::string(error.what()).find("pip install \"numpy_plugin[cuda]\""),
              std::string::npos);
    EXPECT_NE(error.log().find(root()), std::string::npos) << error.log();
  }
}

TEST(ArchitectureTest, NumbersAreReadFromNames) {
  EXPECT_EQ(architecture_number("sm_90"), 90);
  EXPECT_EQ(architecture_number("sm_90a"), 90);
  EXPECT_EQ(architecture_number("compute_103"), 103);
  EXPECT_EQ(architecture_number("hopper"), 0);
}

TEST(ArchitectureTest, NearestTargetRunsOnTheGpu) {
  const std::vector<int> known = {75, 80, 90, 100, 120};
  EXPECT_EQ(nearest_target("sm_90", known), "sm_90");
  EXPECT_EQ(nearest_target("sm_103", known), "sm_100");
  EXPECT_EQ(nearest_target("sm_89", known), "sm_80");
  EXPECT_EQ(nearest_target("sm_110", known), "compute_100");
  EXPECT_EQ(nearest_target("sm_130", known), "compute_120");
  EXPECT_EQ(nearest_target("sm_70", known), "sm_70");
}

}  // namespace
}  // namespace numpy_plugin::jit
