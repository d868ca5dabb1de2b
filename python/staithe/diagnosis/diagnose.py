"""The whole examination of a run directory."""

from __future__ import annotations

import socket
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..errors import NotFound, PeerLost, ProtocolError, SystemFailure, Timeout
from ..workflow import stats
from . import limits
from .deadlocks import deadlock, find_circles
from .files import find_stale_files, find_unfinished, publisher_is_elsewhere, read_contacts, read_notes
from .finding import Finding, Who, listed
from .processes import Process
from .servers import of_servers
from .waits import Wait, waits_for_opening, waits_in

_ANSWER_SECONDS = 1.0


def diagnose(directory: Path, longest_wait: float = 1.0, watch_cores: float = 0.5) -> list[Finding]:
    """Looks at everything; the worst comes first.

    Args:
        directory: the run directory, which must be that of this process.
        longest_wait: waits that are shorter, in seconds, are no finding.
        watch_cores: how many seconds to watch whether processes get cores; 0 for not at all.
    """
    # First the files: to ask for a stream whose writer is dead removes its contact file.
    left = [*(file.finding for file in find_stale_files(directory)), *find_unfinished(directory)]
    notes = list(read_notes(directory))
    contacts = list(read_contacts(directory))
    streams, silent = _ask(directory, contacts)
    here = [
        (who, Process(who.pid))
        for who in _processes([*_entries(streams), *notes])
        if who.host == socket.gethostname()  # elsewhere its pid is another process's
    ]
    waits = _waits(streams)
    waits += waits_for_opening(notes, _writers_to_be(here), time.monotonic())
    return [
        *_blocked([wait for wait in waits if wait.seconds >= longest_wait]),
        *of_servers(None, longest_wait),
        *silent,
        *(finding for who, process in here for finding in limits.process_limits(who, process)),
        *limits.memory(stream for stream in streams if stream["host"] == socket.gethostname()),
        *limits.locked_memory(streams),
        *limits.run_directory(directory),
        *(finding for stream in streams for finding in _pools(stream)),
        *_versions(streams, contacts, notes),
        *(limits.cores(here, watch_cores) if watch_cores > 0 else ()),
        *left,
    ]


def diagnose_at(address: str, longest_wait: float = 1.0) -> list[Finding]:
    """What the streams and servers tell that are at the address: nothing of files, limits and cores there.

    Args:
        address: "host:port".
        longest_wait: waits that are shorter, in seconds, are no finding.
    """
    streams = stats.describe_live(address)
    return [
        *_blocked([wait for wait in _waits(streams) if wait.seconds >= longest_wait]),
        *of_servers(address, longest_wait),
        *_versions(streams, (), ()),
    ]


def _waits(streams: Iterable[Mapping[str, Any]]) -> list[Wait]:
    return [wait for stream in streams if stream["state"] == "open" for wait in waits_in(stream)]


def _ask(directory: Path, contacts: Iterable[Mapping[str, Any]]) -> tuple[list[Mapping[str, Any]], list[Finding]]:
    """What the directors say, and who does not."""
    streams: list[Mapping[str, Any]] = []
    silent: list[Finding] = []
    for contact in contacts:
        who = Who.of(contact)
        try:
            streams.append(stats.describe(contact["name"], _ANSWER_SECONDS))
        except (SystemFailure, PeerLost, Timeout) as error:
            silent += _silent(directory, contact, who, error)
        except ProtocolError as error:
            silent.append(Finding("version", str(error), "use one version of Staithe on both sides", (who,)))
        except NotFound:  # it ended just now
            continue
    return streams, silent


def _silent(directory: Path, contact: Mapping[str, Any], who: Who, error: Exception) -> Iterator[Finding]:
    """One who has published a stream and does not answer."""
    writes = f"{who}, which writes '{contact['name']}',"
    if publisher_is_elsewhere(contact):
        advice = f"if it is gone, remove {directory / contact['name']}.stream.contact; else see to this: {error}"
        yield Finding("elsewhere", f"{writes} cannot be seen from this host", advice, (who,))
    elif isinstance(error, SystemFailure):
        raise error
    elif isinstance(error, Timeout):
        stopped = Process(who.pid).is_stopped
        yield Finding(
            "silent",
            f"{writes} " + ("is stopped" if stopped else f"does not answer within {_ANSWER_SECONDS:g} s"),
            f"continue it (kill -CONT {who.pid}) or end it" if stopped else f"see what pid {who.pid} does",
            (who,),
        )


def _blocked(waits: list[Wait]) -> Iterator[Finding]:
    circles = find_circles(waits)
    yield from map(deadlock, circles)
    explained = {wait for circle in circles for wait in circle}
    yield from (wait.finding for wait in sorted(waits, key=lambda wait: -wait.seconds) if wait not in explained)


def _processes(entries: Iterable[Mapping[str, Any]]) -> list[Who]:
    """Each process once, under one of its names and without a rank: it may have several of both."""
    found: dict[tuple[str, int], Who] = {}
    for entry in entries:
        found.setdefault((entry["host"], entry["pid"]), Who(entry["program"], entry["pid"], entry["host"]))
    return sorted(found.values())


def _entries(streams: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for stream in streams:
        yield from (writer for writer in stream["writers"] if writer["joined"])
        yield from (member for group in stream["readers"] for member in group["members"])


def _writers_to_be(processes: Iterable[tuple[Who, Process]]) -> Mapping[str, list[Who]]:
    """Which processes a workflow names as writers of which streams."""
    named: defaultdict[str, list[Who]] = defaultdict(list)
    for who, process in processes:
        for stream in process.written_streams:
            named[stream].append(who)
    return named


def _pools(stream: Mapping[str, Any]) -> Iterator[Finding]:
    for writer in stream["writers"]:
        if writer["joined"] and writer["host"] == socket.gethostname():
            yield from limits.pools(stream, Who.of(writer), Process(writer["pid"]))


def _versions(
    streams: Iterable[Mapping[str, Any]], contacts: Iterable[Mapping[str, Any]], notes: Iterable[Mapping[str, Any]]
) -> Iterator[Finding]:
    users: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for entry in [*_entries(streams), *contacts, *notes]:
        users[entry.get("version") or "an unknown version"].append(entry)
    if len(users) > 1:
        by_version = {version: _processes(users[version]) for version in sorted(users)}
        who = [f"{version}: {listed([str(one) for one in them])}" for version, them in by_version.items()]
        yield Finding(
            "version",
            f"the live processes use {len(users)} versions of Staithe: {'; '.join(who)}",
            "install one version for all of them; nothing is promised between versions",
            tuple(one for them in by_version.values() for one in them),
        )
