# What is compiled in from elsewhere, or carried along, goes with its licence: share/staithe/licenses/<name>.txt.

include(GNUInstallDirs)

function(staithe_licence name file)
    if(EXISTS "${file}")
        install(FILES ${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/staithe/licenses RENAME ${name}.txt)
    endif()
endfunction()

# Of what came as Debian's packages, licences are where Debian keeps them. The C library stays the system's.
get_property(packages GLOBAL PROPERTY STAITHE_DEBIAN_PACKAGES)
list(REMOVE_ITEM packages libc6-dev)
foreach(package ${packages})
    string(REGEX REPLACE "^lib|-dev$" "" name ${package})
    staithe_licence(${name} /usr/share/doc/${package}/copyright)
endforeach()

if(TARGET staithe_sz3)
    staithe_licence(SZ3 ${STAITHE_SZ3_INCLUDE_DIR}/../copyright-and-BSD-license.txt)
endif()
