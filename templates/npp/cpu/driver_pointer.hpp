// Access of compiled loops to the library: set by the code that loads them.
#pragma once

#include "npp/cpu/driver.hpp"

extern "C" {
__attribute__((visibility("default"))) const npp::ElementwiseDriver* npp_driver = nullptr;
}
