# How everything of ours is compiled: language, optimisation, warnings, sanitizers, compiler cache.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# No -march: a wheel runs on machines older than the one that built it.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, RelWithDebInfo or Debug" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")

# Files of a target are compiled several at a time, as one: most of the time goes into headers that they share. So a name
# in an anonymous namespace stands once in its folder.
option(CMAKE_UNITY_BUILD "Compile several files as one" ON)

# What one checkout has compiled, another finds: its paths are taken as relative to it.
find_program(STAITHE_CCACHE ccache)
mark_as_advanced(STAITHE_CCACHE)
if(STAITHE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${STAITHE_CCACHE})
endif()

# The modules of the library are optimised as one: a small step goes through eight of them, and takes a tenth less time so
# (docs/design/performance.md). Tests link the same objects as they are, since optimising each program takes its time.
set(STAITHE_LINK_TIME "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT STAITHE_SANITIZE)
    set(STAITHE_LINK_TIME -flto=auto)
endif()

# Linked by every target of ours, and only by those: other people's headers and sources keep their own warnings.
add_library(staithe_compiler INTERFACE)
if(STAITHE_LINK_TIME)
    target_link_options(staithe_compiler INTERFACE -fno-lto)
endif()
target_compile_options(staithe_compiler INTERFACE -Wall -Wextra -Wpedantic)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Give false alarms inside std::variant, std::optional and std::string (gcc 12); clang's checks and the sanitizers see
    # the real ones.
    target_compile_options(staithe_compiler INTERFACE -Wno-maybe-uninitialized -Wno-restrict)
endif()
if(STAITHE_WARNINGS_AS_ERRORS)
    target_compile_options(staithe_compiler INTERFACE -Werror)
endif()

if(STAITHE_SANITIZE STREQUAL "address")
    # Without vptr: it looks at memory through a pipe, and takes every object for a wrong one where tests leave no descriptor.
    # With what libFuzzer goes by: the fuzz targets are of the same build.
    set(sanitizers -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize=vptr -fno-sanitize-recover=all)
elseif(STAITHE_SANITIZE STREQUAL "thread")
    set(sanitizers -fsanitize=thread)
elseif(STAITHE_SANITIZE)
    message(FATAL_ERROR "STAITHE_SANITIZE is '${STAITHE_SANITIZE}': use address, thread or nothing")
endif()
if(STAITHE_SANITIZE)
    # -O1 is what clang asks for at least; more takes longer to compile.
    add_compile_options(${sanitizers} -O1 -fno-omit-frame-pointer -g1 -UNDEBUG)
    add_link_options(${sanitizers})
endif()
