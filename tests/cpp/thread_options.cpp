// Options of the thread sanitizer.
#define NPP_VISIBLE extern "C" __attribute__((visibility("default")))

NPP_VISIBLE const char* __tsan_default_suppressions();
NPP_VISIBLE const char* __tsan_default_options();

// A forked child has threads of its parent that it never joins.
const char* __tsan_default_options() { return "report_thread_leaks=0"; }

// Stores of simulated kernels, whose races the simulator itself looks for: some tests have them on
// purpose. And the C library, which frees the thread-local storage of threads that have ended.
const char* __tsan_default_suppressions() {
  return "race:_dl_deallocate_tls\n"
         "race:*::global_bytes(*\n"
         "race:*::BlockRaces::on_access(*\n"
         "race:*/simulator/handlers/memory/memory_store.cpp\n";
}
