# Libraries that codecs stand on. Any may be absent: the codecs are then listed as missing, with the reason found here.
#
# staithe_codec_library(ZSTD "Zstandard" zstd.h zstd libzstd-dev) adds the option STAITHE_WITH_ZSTD. If the library is
# there, the target staithe_zstd is what to link, and STAITHE_ZSTD_MISSING is empty; else it is the reason. With LOADED at
# the end, the target has the headers alone: the program loads the library when it runs.

function(staithe_codec_library name what header library debian_package)
    option(STAITHE_WITH_${name} "Build in the codecs that stand on ${what}, if it is found" ON)
    set(missing "")
    if(NOT STAITHE_WITH_${name})
        set(missing "Staithe was built with STAITHE_WITH_${name}=OFF: build it again without that")
    else()
        find_path(STAITHE_${name}_INCLUDE_DIR ${header})
        find_library(STAITHE_${name}_LIBRARY ${library})
        mark_as_advanced(STAITHE_${name}_INCLUDE_DIR STAITHE_${name}_LIBRARY)
        if(NOT STAITHE_${name}_INCLUDE_DIR OR NOT STAITHE_${name}_LIBRARY)
            set(missing "Staithe was built where ${what} was not found: install it \
(Debian: ${debian_package}) and build Staithe again")
        endif()
    endif()
    if(NOT missing)
        set_property(GLOBAL APPEND PROPERTY STAITHE_DEBIAN_PACKAGES ${debian_package})
        string(TOLOWER staithe_${name} target)
        add_library(${target} INTERFACE)
        target_include_directories(${target} SYSTEM INTERFACE ${STAITHE_${name}_INCLUDE_DIR})
        if("LOADED" IN_LIST ARGN)
            set_property(GLOBAL APPEND PROPERTY STAITHE_LOADED_LIBRARIES ${STAITHE_${name}_LIBRARY})
        else()
            target_link_libraries(${target} INTERFACE ${STAITHE_${name}_LIBRARY})
            set_property(GLOBAL APPEND PROPERTY STAITHE_CODEC_LIBRARIES ${STAITHE_${name}_LIBRARY})
        endif()
    endif()
    set(STAITHE_${name}_MISSING "${missing}" PARENT_SCOPE)
endfunction()

staithe_codec_library(LZ4 "LZ4" lz4hc.h lz4 liblz4-dev)
staithe_codec_library(ZSTD "Zstandard" zstd.h zstd libzstd-dev)
# Both have one format; libdeflate is faster.
staithe_codec_library(LIBDEFLATE "libdeflate" libdeflate.h deflate libdeflate-dev)
if(TARGET staithe_libdeflate)
    set(STAITHE_DEFLATE libdeflate)
else()
    staithe_codec_library(ZLIB "zlib" zlib.h z zlib1g-dev)
    set(STAITHE_DEFLATE zlib)
endif()

# Loaded, since it needs a runtime of OpenMP, which few machines without compilers have.
staithe_codec_library(ZFP "zfp" zfp.h zfp libzfp-dev LOADED)

function(staithe_write_sz3_version folder)
    set(PROJECT_NAME SZ3)
    set(PROJECT_VERSION 3.3.2)
    set(PROJECT_VERSION_MAJOR 3)
    set(PROJECT_VERSION_MINOR 3)
    set(PROJECT_VERSION_PATCH 2)
    set(PROJECT_VERSION_TWEAK 0)
    set(SZ3_DATA_VERSION 3.3.2)
    configure_file(${STAITHE_SZ3_INCLUDE_DIR}/SZ3/version.hpp.in ${folder}/SZ3/version.hpp @ONLY)
endfunction()

# Header-only, and in no Debian package: scripts/setup puts it into build/third_party. It stands on Zstandard.
option(STAITHE_WITH_SZ3 "Build in the codec sz3, if SZ3 is found" ON)
find_path(STAITHE_SZ3_INCLUDE_DIR SZ3/api/sz.hpp HINTS ${PROJECT_SOURCE_DIR}/build/third_party/sz3/include)
mark_as_advanced(STAITHE_SZ3_INCLUDE_DIR)
set(STAITHE_SZ3_MISSING "")
if(NOT STAITHE_WITH_SZ3)
    set(STAITHE_SZ3_MISSING "Staithe was built with STAITHE_WITH_SZ3=OFF: build it again without that")
elseif(NOT STAITHE_SZ3_INCLUDE_DIR)
    set(STAITHE_SZ3_MISSING "Staithe was built where SZ3 was not found: install cargo, with which scripts/setup gets it, \
or SZ3 itself, and build Staithe again")
elseif(NOT TARGET staithe_zstd)
    set(STAITHE_SZ3_MISSING "SZ3 stands on Zstandard. ${STAITHE_ZSTD_MISSING}")
else()
    add_library(staithe_sz3 INTERFACE)
    target_include_directories(staithe_sz3 SYSTEM INTERFACE ${STAITHE_SZ3_INCLUDE_DIR})
    if(NOT EXISTS ${STAITHE_SZ3_INCLUDE_DIR}/SZ3/version.hpp)  # these are sources, not an installation
        staithe_write_sz3_version(${PROJECT_BINARY_DIR}/sz3)
        target_include_directories(staithe_sz3 SYSTEM INTERFACE ${PROJECT_BINARY_DIR}/sz3)
    endif()
    target_compile_definitions(staithe_sz3 INTERFACE SZ3_DEBUG_TIMINGS=0 SZ3_USE_SKA_HASH=1)
    target_link_libraries(staithe_sz3 INTERFACE staithe_zstd)
endif()
