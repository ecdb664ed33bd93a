// How a compiled loop reaches the library: set by whoever loads the file.
#pragma once

#include "npp/cpu/driver.hpp"

extern "C" {
__attribute__((visibility("default"))) const npp::ElementwiseDriver* npp_driver = nullptr;
}
