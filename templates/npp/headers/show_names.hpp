// After glibc's <math.h>: see hide_names.hpp.
#undef __sinf
#undef __cosf
#undef __tanf
#undef __tanhf
#undef __expf
#undef __exp10f
#undef __logf
#undef __log2f
#undef __log10f
#undef __powf
#undef __sincosf
