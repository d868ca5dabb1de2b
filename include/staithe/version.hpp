// The version of these headers. CMake and the Python package read it from this line, and from nowhere else.
#pragma once

#define STAITHE_VERSION "0.1.0"
