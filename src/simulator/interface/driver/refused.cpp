// Functions of the driver that are exported and refused by name.
#include "simulator/interface/driver/call.hpp"

// By their symbols, because cuda.h declares them with parameters, which nothing here looks at.
#define NPP_REFUSED(name, function, version, what)                \
  NPP_EXPORT CUresult npp_refuse_##function() __asm__(#function); \
  CUresult npp_refuse_##function() { return numpy_plugin::sim::refuse_call(#name, what); }
#include "simulator/interface/driver/refused.def"
