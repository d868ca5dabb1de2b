#!/bin/sh
# build_and_run.sh PROGRAM [ARGUMENTS]: builds both programs, unless they are up to date, and becomes one of them.
set -e
cd "$(dirname "$0")"
mkdir -p build
flock build sh -c '{
    cmake -S . -B build -D staithe_DIR="$(staithe config --cmake-dir)"
    cmake --build build
} >build/log'
program=$1
shift
exec "build/$program" "$@"
