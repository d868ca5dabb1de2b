// What ThreadSanitizer is to pass over, in every test program that is built with it.

extern "C" const char* __tsan_default_suppressions();

// The references to an exception are counted by libstdc++, which is not built with the sanitizer: that one thread let
// go of an exception (the end of its catch) before another, the last to hold it, frees it, is a thing that it cannot
// see. And that a test which hangs ends with a report that no signal's handler may make, it need not say.
extern "C" const char* __tsan_default_suppressions() {
    return "race:std::runtime_error::~runtime_error\n"
           "race:std::__exception_ptr::exception_ptr::_M_release\n"
           "signal:staithe::testing::Watchdog\n";
}
