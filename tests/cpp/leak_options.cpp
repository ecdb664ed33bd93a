// Options of the address sanitizer's leak check.
#define NPP_VISIBLE extern "C" __attribute__((visibility("default")))

NPP_VISIBLE const char* __lsan_default_suppressions();
NPP_VISIBLE const char* __lsan_default_options();

// The leak check crashes when it reads the thread-local storage of a detached thread that is about
// to end, such as those of simulated streams at the end of a test.
const char* __lsan_default_options() { return "use_tls=0"; }

// Memory that NVIDIA's libraries never free, and that of the C library in thread-local storage.
const char* __lsan_default_suppressions() {
  return "leak:libnvJitLink\n"
         "leak:__cxa_thread_atexit_impl\n"
         "leak:pthread_setspecific\n"
         "leak:_dlerror_run\n"
         "leak:_dl_exception_create\n"
         "leak:_dl_map_object_deps\n";
}
