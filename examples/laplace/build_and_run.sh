#!/bin/sh
# Builds laplace.cpp, unless it is up to date, and becomes it. Every rank comes here: one builds, the rest wait.
set -e
cd "$(dirname "$0")"
mkdir -p build
flock build sh -c '{
    cmake -S . -B build -D staithe_DIR="$(staithe config --cmake-dir)"
    cmake --build build
} >build/log'
exec build/laplace "$@"
