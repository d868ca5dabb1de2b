// Start here: the C++ interface of Staithe.
//
// - writer.hpp: a program hands its arrays over, step by step
// - reader.hpp: another one takes them; recorder.hpp: into files that stock tools read;
//   running_reduction.hpp: sums, means and histograms over steps
// - analysis.hpp: code that runs on steps, as its own program or in the simulation's thread
// - inspect.hpp: what streams there are, and how they do
// - space.hpp: a store of versions that programs share; server.hpp: who keeps it for them;
//   space_lock.hpp: what is locked and lent of it; space_batch.hpp: many small blocks;
//   space_watch.hpp: versions as they are completed
// - limits.hpp: what this process may hold at most
//
// The words of the interface: a *stream* is an ordered sequence of *steps*; a step is an atomic set of *variables*; a
// variable is made of *blocks*, each the data of one *box* from one rank of the writer *group*. Every call that can
// fail throws a class of error.hpp, every call that waits has a deadline. mpi.hpp (not included here) turns an MPI
// communicator into a group.
#pragma once

#include <staithe/analysis.hpp>
#include <staithe/array_view.hpp>
#include <staithe/box.hpp>
#include <staithe/dtype.hpp>
#include <staithe/error.hpp>
#include <staithe/group.hpp>
#include <staithe/inspect.hpp>
#include <staithe/limits.hpp>
#include <staithe/logging.hpp>
#include <staithe/options.hpp>
#include <staithe/reader.hpp>
#include <staithe/recorder.hpp>
#include <staithe/running_reduction.hpp>
#include <staithe/server.hpp>
#include <staithe/space.hpp>
#include <staithe/space_batch.hpp>
#include <staithe/space_lock.hpp>
#include <staithe/space_watch.hpp>
#include <staithe/value.hpp>
#include <staithe/version.hpp>
#include <staithe/waiting.hpp>
#include <staithe/writer.hpp>
