# libstaithe.so, made of all modules, and what is installed with it: headers, Fortran sources, a CMake package, a pkg-config file.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

if(SKBUILD)
    set(CMAKE_INSTALL_LIBDIR lib)  # inside the Python package, where `staithe config` looks
endif()

get_property(modules GLOBAL PROPERTY STAITHE_MODULES)
add_library(staithe SHARED)
add_library(staithe::staithe ALIAS staithe)
foreach(module ${modules})
    get_target_property(type staithe_${module} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
        target_sources(staithe PRIVATE $<TARGET_OBJECTS:staithe_${module}>)
    endif()
endforeach()
# Object files alone do not tell which language's linker it takes.
set_target_properties(staithe PROPERTIES LINKER_LANGUAGE CXX)
target_include_directories(staithe PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
get_property(codec_libraries GLOBAL PROPERTY STAITHE_CODEC_LIBRARIES)
target_link_libraries(staithe PRIVATE fmt::fmt ${STAITHE_SODIUM_LIBRARY} ${codec_libraries} Threads::Threads
    ${CMAKE_DL_LIBS})
# Until 1.0 a minor version may change the binary interface. File name and soname are the same: a wheel cannot hold the
# usual chain of symbolic links.
set(abi ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
# Inside a Python package other packages have NVIDIA's compiler and nvCOMP (src/transform/cuda) beside it.
set(others $ORIGIN/../../nvidia)
set_target_properties(staithe PROPERTIES VERSION ${abi} SOVERSION ${abi}
    INSTALL_RPATH "$ORIGIN;${others}/cuda_nvrtc/lib;${others}/cu13/lib;${others}/libnvcomp/lib64")
if(NOT STAITHE_SANITIZE)
    target_link_options(staithe PRIVATE -Wl,--no-undefined)
endif()
if(STAITHE_LINK_TIME)
    # The warnings are gcc 12's false alarms once more, inside std::string.
    target_link_options(staithe PRIVATE ${STAITHE_LINK_TIME} -O3 -Wno-stringop-overflow)
endif()
# Visibility alone lets symbols of header-only libraries out, which other copies of them in the same process would take
# for theirs.
target_link_options(staithe PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/exported_symbols.map)
set_property(TARGET staithe PROPERTY LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/exported_symbols.map)

install(TARGETS staithe EXPORT staitheTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_SKIP)
install(DIRECTORY include/staithe DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
# As source: what a Fortran compiler makes of a module is no use to another one.
set(fortran_dir ${CMAKE_INSTALL_DATADIR}/staithe/fortran)
install(DIRECTORY fortran/ DESTINATION ${fortran_dir} FILES_MATCHING PATTERN "*.f90" PATTERN "sources.txt")

set(generated ${PROJECT_BINARY_DIR}/generated)

if(TARGET zfp)
    install(TARGETS zfp LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_SKIP)
endif()

# The name that `-lstaithe` looks for: a linker script in the place of a symbolic link.
file(WRITE ${generated}/libstaithe.so "INPUT(libstaithe.so.${abi})\n")
install(FILES ${generated}/libstaithe.so DESTINATION ${CMAKE_INSTALL_LIBDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/staithe)
install(EXPORT staitheTargets NAMESPACE staithe:: DESTINATION ${package_dir} FILE staitheTargets.cmake)
configure_package_config_file(cmake/staitheConfig.cmake.in ${generated}/staitheConfig.cmake
    INSTALL_DESTINATION ${package_dir} PATH_VARS fortran_dir NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${generated}/staitheConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${generated}/staitheConfig.cmake ${generated}/staitheConfigVersion.cmake DESTINATION ${package_dir})

# The same for pkg-config.
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH prefix_from_pkgconfig /${pkgconfig_dir} /)
string(REGEX REPLACE "/$" "" prefix_from_pkgconfig "${prefix_from_pkgconfig}")
configure_file(cmake/staithe.pc.in ${generated}/staithe.pc @ONLY)
install(FILES ${generated}/staithe.pc DESTINATION ${pkgconfig_dir})

# The package must also import on machines without the development packages (compute nodes): shared libraries that it is
# linked to travel with it, under the names that the dynamic linker looks for.
function(staithe_carry library)
    execute_process(COMMAND ${CMAKE_READELF} -d ${library} OUTPUT_VARIABLE dynamic ERROR_QUIET)
    if(dynamic MATCHES "SONAME[^\n]*\\[([^\n]*)\\]")
        file(REAL_PATH ${library} file)
        install(FILES ${file} DESTINATION ${CMAKE_INSTALL_LIBDIR} RENAME ${CMAKE_MATCH_1})
    endif()
endfunction()
if(SKBUILD)
    get_target_property(fmt_type fmt::fmt TYPE)
    if(fmt_type STREQUAL "SHARED_LIBRARY")
        install(FILES $<TARGET_FILE:fmt::fmt> DESTINATION ${CMAKE_INSTALL_LIBDIR}
            RENAME $<TARGET_SONAME_FILE_NAME:fmt::fmt>)
    endif()
    get_property(loaded_libraries GLOBAL PROPERTY STAITHE_LOADED_LIBRARIES)
    foreach(library ${STAITHE_SODIUM_LIBRARY} ${codec_libraries} ${loaded_libraries})
        staithe_carry(${library})
    endforeach()
endif()
