# staithe_module(NAME array DEPENDS base SOURCES dtype.cpp box.cpp [WRAPS library...] [COMPILED_APART])
#
# One folder under src/ is one static library `staithe_<name>`; one without SOURCES has headers alone. DEPENDS names the
# modules whose headers it may include (tools/check_layers.py holds it to that, and this list to the design), WRAPS the
# third-party libraries that no other module touches. Everything is position-independent: all modules become the one
# library that users see (StaitheLibrary.cmake), optimised as one but for those that are COMPILED_APART; a unit test links
# its module and what lies below it.
function(staithe_module)
    cmake_parse_arguments(PARSE_ARGV 0 arg "COMPILED_APART" "NAME" "DEPENDS;SOURCES;WRAPS")
    if(arg_UNPARSED_ARGUMENTS OR NOT arg_NAME)
        message(FATAL_ERROR "staithe_module takes NAME, DEPENDS, SOURCES and WRAPS: ${ARGV}")
    endif()
    set(target staithe_${arg_NAME})
    list(TRANSFORM arg_DEPENDS PREPEND staithe_)
    if(arg_SOURCES)
        add_library(${target} STATIC ${arg_SOURCES})
        set(usage PUBLIC)
        target_link_libraries(${target} PRIVATE staithe_compiler)
        if(STAITHE_LINK_TIME AND NOT arg_COMPILED_APART)
            target_compile_options(${target} PRIVATE ${STAITHE_LINK_TIME} -ffat-lto-objects)
        endif()
    else()
        add_library(${target} INTERFACE)
        set(usage INTERFACE)
    endif()
    target_include_directories(${target} ${usage} ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${target} ${usage} ${arg_DEPENDS} ${arg_WRAPS})
    set_property(GLOBAL APPEND PROPERTY STAITHE_MODULES ${arg_NAME})
endfunction()
