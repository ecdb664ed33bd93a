// Options of the address sanitizer's search for leaks.
#define NPP_VISIBLE extern "C" __attribute__((visibility("default")))

NPP_VISIBLE const char* __lsan_default_suppressions();
NPP_VISIBLE const char* __lsan_default_options();

// Memory that NVIDIA's libraries never give back.
const char* __lsan_default_suppressions() { return "leak:libnvJitLink\n"; }

// The search crashes where it reads the thread storage of a detached thread that is about to end,
// as those of simulated streams are when a test has ended.
const char* __lsan_default_options() { return "use_tls=0"; }
