// Before glibc's <math.h>, which declares private functions under names of CUDA's approximate ones.
#define __sinf npp_of_glibc_sinf
#define __cosf npp_of_glibc_cosf
#define __tanf npp_of_glibc_tanf
#define __tanhf npp_of_glibc_tanhf
#define __expf npp_of_glibc_expf
#define __exp10f npp_of_glibc_exp10f
#define __logf npp_of_glibc_logf
#define __log2f npp_of_glibc_log2f
#define __log10f npp_of_glibc_log10f
#define __powf npp_of_glibc_powf
#define __sincosf npp_of_glibc_sincosf
