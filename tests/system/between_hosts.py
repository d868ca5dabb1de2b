"""Programs that write and read a stream on hosts that share a run directory, and servers there, for tests of streams
between hosts."""

from __future__ import annotations

import contextlib
import json
import sys
import textwrap
from collections.abc import Iterator

from hosts import Host, Program, line_of, result_of

WRITER = """
    import numpy, staithe, sys
    steps, options = int(sys.argv[2]), eval(sys.argv[3])
    with staithe.writer(sys.argv[1], **{'timeout': 30} | options) as out:
        print("opened", flush=True)
        for i in range(steps):
            with out.step() as step:
                step.put("T", numpy.arange(600.0).reshape(20, 30) + i)
                step.put("n", numpy.int32(i))
                step.attrs["time"] = 0.5 * i
    print("closed", flush=True)
"""
# Says each step's number; whole, by rows and columns, and by strides it must be what was written.
READER = """
    import numpy, staithe, sys
    options = eval(sys.argv[2])
    with staithe.reader(sys.argv[1], **{'timeout': 30} | options) as stream:
        print("joined", flush=True)
        for step in stream:
            i = step.index
            expected = numpy.arange(600.0).reshape(20, 30) + i
            assert (step["T"][...] == expected).all()
            assert (step["T"][3:7] == expected[3:7]).all()
            assert (step["T"][::3, 5:29:4] == expected[::3, 5:29:4]).all()
            assert step["n"][()] == i and step.attrs["time"] == 0.5 * i
            print(i, flush=True)
"""
# Of a step all elements are its number.
WHOLE = """
    import staithe
    with staithe.reader("melt", timeout=30) as stream:
        for step in stream:
            assert (step["T"][...] == step.index).all()
            print(step.index, flush=True)
"""


def write(host: Host, together: dict[str, str], steps: int, options: str = "{}", listen: str = "0.0.0.0:0") -> Program:
    """Starts a writer, and waits until it has opened the stream. The dictionaries are environments."""
    writer = host.python(WRITER, "melt", str(steps), options, env=together | {"STAITHE_LISTEN": listen})
    assert line_of(writer) == "opened"
    return writer


def read(host: Host, together: dict[str, str], options: str = "{}", before: str = "") -> Program:
    """Starts a reader. `before` is what it runs first."""
    return host.python(f"{before}\n{textwrap.dedent(READER)}", "melt", options, env=together)


def steps_of(reader: Program, seconds: float = 30.0) -> list[int]:
    """Those that a reader has got when it has ended, well."""
    out, errors = reader.communicate(timeout=seconds)
    assert reader.returncode == 0, errors
    return [int(line) for line in out.split() if line != "joined"]


def rest_of(program: Program, seconds: float) -> tuple[str, str]:
    """What a program says until it ends, which it does within that time."""
    output, errors = program.communicate(timeout=seconds)
    return output, errors


def assert_in_order(output: str, last: int | None = None) -> None:
    """None of the steps is missing that a reader has printed; a few may have been taken in with the line before."""
    steps = [int(line) for line in output.split()]
    assert steps == list(range(steps[0], steps[0] + len(steps))) if steps else last is None
    assert last is None or steps[-1] == last


PLACED = {"STAITHE_PLACEMENT": "servers"}


def serve(host: Host, env: dict[str, str], *words: str) -> Program:
    """Starts a server, and waits until it is there."""
    program = host.popen([sys.executable, "-W", "error", "-m", "staithe.cli", "serve", *words], env=env)
    assert "keeps spaces" in line_of(program)
    return program


@contextlib.contextmanager
def serving(host: Host, env: dict[str, str], *words: str) -> Iterator[Program]:
    program = serve(host, env, *words)
    try:
        yield program
    finally:
        program.kill()
        program.communicate()


def ranks_on(
    hosts: list[Host], program: str, sizes: tuple[int, int], options: str, env: dict[str, str]
) -> list[Program]:
    """One rank of a writer on each of them, once it has opened the stream. It is told its rank, how many there are, and
    the `sizes`: the step before which it waits for `go_on`, and how many steps there are."""
    words = [str(number) for number in (len(hosts), *sizes)]
    ranks = [host.python(program, str(rank), *words, options, env=env | PLACED) for rank, host in enumerate(hosts)]
    assert [line_of(rank) for rank in ranks] == ["opened"] * len(hosts)
    return ranks


def go_on(ranks: list[Program]) -> None:
    for rank in ranks:
        assert rank.stdin is not None
        rank.stdin.write("\n")
        rank.stdin.flush()


def memory_by_server(host: Host, env: dict[str, str], stream: str = "melt") -> dict[str, int]:
    """Bytes that servers have of the stream's steps, of those servers that take part in it."""
    said = json.loads(result_of(host.popen([sys.executable, "-m", "staithe.cli", "servers", "--json"], env=env)))
    return {each["name"]: each["streams"][stream]["memory"] for each in said if stream in each["streams"]}
