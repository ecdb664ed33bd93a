// A fixture with the stub CUDA driver in its initial state.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "load/stub_driver.hpp"
#include "numpy_plugin/load/driver.hpp"

namespace numpy_plugin {

class StubTest : public testing::Test {
 protected:
  StubTest() {
    void* const library = ::dlopen(NPP_STUB_DRIVER, RTLD_NOW | RTLD_LOCAL);
    auto* const function = reinterpret_cast<StubStateFunction*>(::dlsym(library, "npp_stub_state"));
    state_ = function();
    *state_ = {};
  }

  StubState& state() { return *state_; }

 private:
  StubState* state_;
};

}  // namespace numpy_plugin
