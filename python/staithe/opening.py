"""Opening streams: `staithe.writer` and `staithe.reader`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence

from ._core import Reader, Writer, open_reader, open_writer
from .analyses import Analysis
from .analysis_files import analyses_from_environment
from .arguments import explained
from .ending import watch_process_of_multiprocessing
from .errors import InvalidArgument
from .function_analysis import for_one_run, kind_of
from .group import GroupLike, resolve
from .log_lines import follow_logging
from .sizes import parse_bytes
from .typing import Attributes, Overflow, Placement, ReaderPlacement, Start


@explained
def writer(
    name: str | os.PathLike[str],
    *,
    group: GroupLike = None,
    queue_steps: int | None = None,
    queue_bytes: int | str | None = None,
    readers: int | None = None,
    overflow: Overflow | None = None,
    spill_dir: str | os.PathLike[str] | None = None,
    spill_bytes: int | str | None = None,
    keep: int | str | None = None,
    resume: bool = False,
    reserve: int | str | None = None,
    timeout: float | None = None,
    attrs: Attributes | None = None,
    placement: Placement | None = None,
    analyses: Sequence[Analysis] = (),
    listen: str | None = None,
    address: str | None = None,
    error: str | Mapping[str, str] | None = None,
    codec: str | None = None,
) -> Writer:
    """Open a stream to write it. Every rank of the writer group does.

    What is not given comes from the workflow that ``staithe run`` launched, else it is the default named here. Amounts
    of memory are bytes, or texts such as "256 MiB".

    Args:
        name: the stream: letters, digits, and any of ``._-``; or a URL, see `address`; or a path, see `placement`.
        group: the ranks that write together: ``(rank, size)``, an mpi4py communicator (then the call is
            collective), or None for a single process.
        queue_steps: how many steps may wait for readers; 8. `Writer.step` waits for room.
        queue_bytes: how many bytes they may have, over all ranks; 256 MiB. Two steps always find room, unless
            `queue_steps` is 1.
        readers: how many reader groups to keep all steps for until they have joined; 1. Those that come later start
            with the oldest step that is left. Analyses that run inline are one such group.
        overflow: what happens when readers do not keep up and the queue is full: "block" (the default) waits;
            "drop-oldest" drops the oldest step that no reader has taken, "drop-newest" the new one, "keep-every-10" the
            oldest as well, but never one whose number is a multiple of 10 (or whatever you write); "latest" gives
            readers the newest step only; "compress" encodes further steps, each variable within its `error`, exactly if
            it has none, in half of `queue_bytes`; "spill" moves steps to files. Drops are counted; see `Writer.stats`.
        spill_dir: where steps are spilled to; STAITHE_SPILL_DIRECTORY, or /var/tmp. The files have no names, so none
            is ever left behind.
        spill_bytes: how many bytes may be spilled, over all ranks; 8 GiB. `Writer.step` waits when that is used up.
        keep: at placement "servers", how many of the newest steps stay for readers to come, though all others have read
            them; or how many bytes, as a text such as "4 GiB". As many as may wait, `queue_steps` and `queue_bytes`, if
            None; 0: none. They take no room in the queue.
        resume: continue after the last step that an earlier writer of this stream published before it died:
            `Writer.next_step` says where that is. If there was none, at step 0. At placement "file": go on with what
            the file has.
        reserve: the bytes of this rank's part of a step, if known: the memory is made ready in the background before
            the first step needs it.
        timeout: the most seconds that a call waits, ``float("inf")`` for as long as it takes; STAITHE_TIMEOUT if
            None. If that is not set either: as long as it takes for a living peer, else 60.
        attrs: attributes of the stream; those of rank 0 count.
        placement: "producer" (the default): readers map this program's memory; "inline": the analyses that
            STAITHE_ANALYSES names for this stream run, too; "servers": a server of this host has the steps
            (``staithe serve``), and they stay there when this program has gone; "file": rank 0 writes each step to a
            file that stock tools read (`staithe.Recorder`), whose path is `name`, or the "file" that STAITHE_STREAMS
            has for it. If None, what STAITHE_STREAMS says; else "file" if `name` ends in ``.zarr``, ``.h5`` or
            ``.hdf5``; else what STAITHE_PLACEMENT says, or "producer".
        analyses: analyses to run at the end of every step, in this thread; the placement is then "inline" unless
            given. All ranks give the same, in the same order. Those that `staithe.analysis` has made may be given to
            several writers.
        listen: where rank 0 listens for readers of other hosts: a number of this host's, or none for all of them, and a
            port, such as "0.0.0.0:7700" or ":0" (any port that is free); or "off". If None, what STAITHE_LISTEN says;
            else ":0" if STAITHE_RUN_DIR names a directory that other hosts may see, or if the ranks of a communicator
            are on several hosts; else "off".
        address: readers of other hosts that listen, "node7:7700" or several with commas between them: rank 0 connects
            to them and offers them the stream, as it does to those of STAITHE_ADDRESS. Or write it into the name:
            ``staithe.writer("staithe://node7:7700/melt")``.
        error: by how much values may be off at readers of other hosts: "1e-3 rel" (of their range), "0.01 abs" (in
            their unit), "1e-3 pw_rel" (of each value), "exact"; of all variables, or a mapping from names of variables,
            in which "*" is all others. They are then encoded on their way where that has them there sooner. Readers of
            this host get them as they are, and so does everyone NaN, infinities, `fill` and integers. None: exact.
        codec: at placement "file", what compresses the variables there, as for `staithe.Recorder`: "blosc",
            "blosc+zstd", or one of `staithe.codecs`. None: what has an error, as any tool reads it, and nothing else.

    Returns:
        The writer, to be used as ``with staithe.writer("melt") as out:``.

    Raises:
        InvalidArgument: an argument cannot mean anything.
        AlreadyExists: the stream has a live writer, or the port to listen at is taken; or the file is there.
        NotFound: there is no server to place the stream at; or no such codec.
        Timeout: rank 0 of the group did not open the stream in time.
    """
    follow_logging()
    name = os.fspath(name)
    analyses = _checked(analyses)
    rank, size, group_id = resolve(group)
    if placement is None and analyses:
        placement = "inline"
    out = open_writer(
        name,
        rank,
        size,
        group_id,
        queue_steps,
        None if queue_bytes is None else parse_bytes(queue_bytes),
        readers,
        0 if reserve is None else parse_bytes(reserve),
        timeout,
        attrs,
        placement,
        overflow,
        None if spill_dir is None else os.fspath(spill_dir),
        None if spill_bytes is None else parse_bytes(spill_bytes),
        keep if isinstance(keep, int) else None,
        parse_bytes(keep) if isinstance(keep, str) else None,
        resume,
        listen,
        address,
        _error(error),
        codec,
    )
    watch_process_of_multiprocessing()
    try:
        inline = analyses_from_environment(name) if out.placement == "inline" else []
        for analysis in [*analyses, *inline]:
            out.attach(analysis)
    except BaseException:
        out.__exit__(*sys.exc_info())
        raise
    return out


@explained
def reader(
    name: str | os.PathLike[str],
    *,
    group: GroupLike = None,
    timeout: float | None = None,
    program: str | None = None,
    overflow: Overflow | None = None,
    start: Start = "oldest",
    resume: bool = False,
    placement: ReaderPlacement | None = None,
    listen: str | None = None,
    address: str | None = None,
    error: str | Mapping[str, str] | None = None,
    codec: str | None = None,
    derive: str | Sequence[str] = (),
    history: str | os.PathLike[str] | None = None,
) -> Reader:
    """Open a stream to read it. Every rank of the reader group does, and all of them see the same steps.

    Waits until the writer is there, so programs may start in any order.

    Args:
        name: the stream, or a URL, see `address`, or a path, see `placement`.
        group: the ranks that read together, as for `writer`. It decides the shares of `Variable.read`.
        timeout: the most seconds that a call waits, as for `writer`.
        program: the name under which this reader group is shown; STAITHE_PROGRAM, or the executable's name.
        overflow: what happens when this group does not keep up, as for `writer`, but "compress" and "spill"; the
            stream's if None. So a plot may be content with "latest" where other readers get every step.
        start: "oldest": with the oldest step that is left; "next": with the next one that is published; a number: with
            that step.
        resume: when the writer dies, wait for it to come back, and go on with the step after the last one.
        placement: where the steps are, as the writer says: "producer", "inline" or "servers", which read alike. Or
            "npy": in a folder of .npy files, whose path is `name`, or the "folder" that STAITHE_STREAMS has for it. Or
            "file": in a recording (`staithe.Recorder`), whose path is `name`, or the "file" that STAITHE_STREAMS has
            for it. If None, what STAITHE_STREAMS says; else "file" if `name` ends in ``.zarr``, ``.h5`` or
            ``.hdf5``; else what STAITHE_PLACEMENT says, or "producer".
        listen: where this process listens for a writer of another host that is told its address, as for `writer`; if
            None, what STAITHE_LISTEN says, else "off".
        address: where a process listens that knows of the stream, as its writer does: "node7:7700", or several with
            commas between them. It is looked for there alone; without an address first in the run directory, then where
            STAITHE_ADDRESS says. Or write it into the name: ``staithe.reader("staithe://node7:7700/melt")``.
        error: what this reader is content with of values that come from another host, in the place of what the writer
            says: coarser, finer, or "exact"; as for `writer`.
        codec: the codec (`staithe.codecs`) that encodes all that comes from another host, whether it pays or not;
            "none": nothing is encoded. If None: whichever has it here sooner, or none.
        derive: variables that each step has beside those that were put, or in their place, as for `Step.derive`:
            "speed = sqrt(u**2 + v**2)", or several, in a list or with ``;`` between them. Each stands for itself in
            those after it: ``["T = T - 273.15", "warm = T > 30"]``. A step that lacks what one names lacks that one.
        history: a recording of the stream (`staithe.Recorder`), perhaps one that is still written. Its steps come
            first, and then those of the stream from where it ends; the stream is waited for once they were read. If
            None, what STAITHE_STREAMS says.

    Returns:
        An iterator over the steps: ``for step in staithe.reader("melt"):``.

    Raises:
        Timeout: no writer opened the stream in time.
        InvalidArgument: an argument cannot mean anything, or the step to start at is gone.
        NotFound: there is no such folder, or there are no steps in it; no such recording; or no such codec.
        ProtocolError: it is no recording, or damaged.
    """
    follow_logging()
    rank, size, group_id = resolve(group)
    return open_reader(
        os.fspath(name),
        rank,
        size,
        group_id,
        timeout,
        program,
        overflow,
        _start(start),
        resume,
        placement,
        listen,
        address,
        _error(error),
        codec,
        [derive] if isinstance(derive, str) else list(derive),
        None if history is None else os.fspath(history),
    )


def _checked(analyses: object) -> list[Analysis]:
    """The analyses, each for this run, before a stream is opened for what is none."""
    if not isinstance(analyses, Iterable):
        kind = kind_of(analyses)
        raise TypeError(f"writer(): analyses must be a list of them, as in analyses=[analysis], not {kind}")
    return [for_one_run(one, "writer(): analyses") for one in analyses]


def _error(error: str | Mapping[str, str] | None) -> str | Mapping[str, str] | None:
    """The same, unless it is what the command line takes: no bound has a ``=`` in it."""
    if isinstance(error, str) and "=" in error:
        variable, bound = (part.strip() for part in error.rsplit("=", 1))
        raise InvalidArgument(f"error={error!r} cannot be: for one variable write error={ {variable: bound}!r}")
    return error


def _start(start: Start) -> int:
    named = {"oldest": -1, "next": -2}  # as in staithe/options.hpp
    if isinstance(start, str) and start in named:
        return named[start]
    if not isinstance(start, int) or start < 0:
        raise InvalidArgument(f"start={start!r} cannot be: use 'oldest', 'next' or the number of a step")
    return start
