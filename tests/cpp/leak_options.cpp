// Options of the address sanitizer's search for leaks.
#define NPP_VISIBLE extern "C" __attribute__((visibility("default")))

NPP_VISIBLE const char* __lsan_default_suppressions();
NPP_VISIBLE const char* __lsan_default_options();

// The search crashes where it reads the thread storage of a detached thread that is about to end,
// as those of simulated streams are when a test has ended.
const char* __lsan_default_options() { return "use_tls=0"; }

// Memory that NVIDIA's libraries never give back, and what the C library keeps in thread storage.
const char* __lsan_default_suppressions() {
  return "leak:libnvJitLink\n"
         "leak:pthread_setspecific\n"
         "leak:_dlerror_run\n"
         "leak:_dl_exception_create\n"
         "leak:_dl_map_object_deps\n";
}
