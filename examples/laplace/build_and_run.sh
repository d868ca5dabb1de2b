#!/bin/sh
# build_and_run.sh CXX|Fortran [ARGUMENTS]: builds the solver in that language, unless it is up to date, and becomes it.
# Every rank comes here: one builds, the rest wait.
set -e
cd "$(dirname "$0")"
build=build/$1
mkdir -p "$build"
flock "$build" sh -c "{
    cmake -S . -B $build -D LANGUAGE=$1 -D staithe_DIR=\"\$(staithe config --cmake-dir)\"
    cmake --build $build
} >$build/log"
shift
exec "$build/laplace" "$@"
