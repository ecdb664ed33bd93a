// What the address sanitizer does not report: memory that NVIDIA's libraries never give back.
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions();

extern "C" const char* __lsan_default_suppressions() { return "leak:libnvJitLink\n"; }
