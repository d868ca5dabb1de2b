# The libraries that Staithe is built from. Looks for all of them before it complains, so that one message, and one
# installation, is enough. docs/design/dependencies.md says what each is for.

set(staithe_missing "")
set(staithe_missing_packages "")

macro(staithe_require found what debian_package)
    if(NOT ${found})
        list(APPEND staithe_missing "${what}")
        list(APPEND staithe_missing_packages "${debian_package}")
    endif()
    set_property(GLOBAL APPEND PROPERTY STAITHE_DEBIAN_PACKAGES ${debian_package})
endmacro()

find_package(Threads QUIET)
staithe_require(Threads_FOUND "POSIX threads" libc6-dev)

find_package(fmt 9 QUIET)
staithe_require(fmt_FOUND "{fmt}, version 9 or later" libfmt-dev)

find_package(nlohmann_json 3.9 QUIET)
staithe_require(nlohmann_json_FOUND "JSON for Modern C++ (nlohmann), version 3.9 or later" nlohmann-json3-dev)

find_path(STAITHE_EXPECTED_INCLUDE_DIR tl/expected.hpp)
staithe_require(STAITHE_EXPECTED_INCLUDE_DIR "tl::expected" libexpected-dev)

find_path(STAITHE_ASIO_INCLUDE_DIR asio/io_context.hpp)
staithe_require(STAITHE_ASIO_INCLUDE_DIR "Asio (the one without Boost)" libasio-dev)

find_path(STAITHE_SODIUM_INCLUDE_DIR sodium.h)
find_library(STAITHE_SODIUM_LIBRARY sodium)
staithe_require(STAITHE_SODIUM_INCLUDE_DIR "libsodium" libsodium-dev)

find_path(STAITHE_XXHASH_INCLUDE_DIR xxhash.h)
staithe_require(STAITHE_XXHASH_INCLUDE_DIR "xxHash" libxxhash-dev)

if(STAITHE_BUILD_TESTS)
    find_package(GTest QUIET)
    staithe_require(GTest_FOUND "GoogleTest, for the tests" libgtest-dev)
    staithe_require(GTest_FOUND "GoogleMock, for the tests" libgmock-dev)
endif()

mark_as_advanced(STAITHE_EXPECTED_INCLUDE_DIR STAITHE_ASIO_INCLUDE_DIR
    STAITHE_SODIUM_INCLUDE_DIR STAITHE_SODIUM_LIBRARY STAITHE_XXHASH_INCLUDE_DIR fmt_DIR nlohmann_json_DIR GTest_DIR)

if(staithe_missing)
    list(JOIN staithe_missing "\n    " names)
    list(JOIN staithe_missing_packages " " packages)
    message(FATAL_ERROR
        "Staithe is built from libraries that were not found:\n    ${names}\n"
        "On Debian and Ubuntu:\n    apt-get install ${packages}\n"
        "Elsewhere, install them where CMake looks, or name their place in CMAKE_PREFIX_PATH.")
endif()

add_library(staithe_expected INTERFACE)
target_include_directories(staithe_expected SYSTEM INTERFACE ${STAITHE_EXPECTED_INCLUDE_DIR})

add_library(staithe_asio INTERFACE)
target_include_directories(staithe_asio SYSTEM INTERFACE ${STAITHE_ASIO_INCLUDE_DIR})
target_compile_definitions(staithe_asio INTERFACE ASIO_STANDALONE ASIO_NO_DEPRECATED)
target_link_libraries(staithe_asio INTERFACE Threads::Threads)

add_library(staithe_sodium INTERFACE)
target_include_directories(staithe_sodium SYSTEM INTERFACE ${STAITHE_SODIUM_INCLUDE_DIR})
target_link_libraries(staithe_sodium INTERFACE ${STAITHE_SODIUM_LIBRARY})
