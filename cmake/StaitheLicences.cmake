# What is compiled in from elsewhere, or carried along, goes with its licence, <name>.txt: in a wheel beside Staithe's own,
# where Python's tools look for it; else in share/staithe/licenses. tools/carried.py holds what a wheel must have.

include(GNUInstallDirs)

if(SKBUILD)
    set(licences_dir ${SKBUILD_METADATA_DIR}/licenses)
else()
    set(licences_dir ${CMAKE_INSTALL_DATADIR}/staithe/licenses)
endif()

function(staithe_licence name file)
    if(EXISTS "${file}")
        install(FILES ${file} DESTINATION ${licences_dir} RENAME ${name}.txt)
    else()
        message(STATUS "The licence of ${name} is not installed with it: there is no '${file}'")
    endif()
endfunction()

# The texts that come with no package.
function(staithe_licence_of name)
    staithe_licence(${name} ${PROJECT_SOURCE_DIR}/cmake/licences/${name}.txt)
endfunction()

# Of what came as Debian's packages, licences are where Debian keeps them. The C library stays the system's, and what
# tests are made with where it is.
get_property(packages GLOBAL PROPERTY STAITHE_DEBIAN_PACKAGES)
list(REMOVE_ITEM packages libc6-dev libgtest-dev libgmock-dev)
if(TARGET staithe_blosc AND STAITHE_BLOSC_LIBRARY MATCHES "^${STAITHE_BLOSC_WHEEL}")
    list(REMOVE_ITEM packages libblosc-dev)
    file(GLOB licence ${STAITHE_BLOSC_WHEEL}/blosc-*.dist-info/licenses/LICENSE.txt)
    staithe_licence(blosc "${licence}")
    foreach(part bitshuffle fastlz zlib-ng)  # besides LZ4 and Zstandard
        staithe_licence_of(${part})
    endforeach()
endif()
foreach(package ${packages})
    string(REGEX REPLACE "^lib|-dev$" "" name ${package})
    staithe_licence(${name} /usr/share/doc/${package}/copyright)
endforeach()

if(TARGET staithe_sz3)
    staithe_licence(SZ3 ${STAITHE_SZ3_INCLUDE_DIR}/../copyright-and-BSD-license.txt)
    staithe_licence_of(ska_hash)
endif()
if(TARGET zfp)
    staithe_licence(zfp ${STAITHE_ZFP_DIR}/LICENSE)
endif()
