// Marks what the shared library promises: everything else is hidden from the dynamic linker.
#pragma once

#if defined(__GNUC__)
#define STAITHE_API __attribute__((visibility("default")))
#else
#define STAITHE_API
#endif
