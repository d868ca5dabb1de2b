"""Values that may be off by some error on their way to readers of other hosts, and are exact on the writer's."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from between_hosts import rest_of
from hosts import Host, line_of, result_of, skip_reason

pytestmark = pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason()))

ROOT = Path(__file__).resolve().parents[2]

Melt = Callable[..., None]

FIELD = """
    import numpy as np
    def field(i, dtype="f4"):
        x, y, z = np.meshgrid(*(np.linspace(0, 1, n) for n in (32, 128, 128)), indexing="ij")
        T = (300 + 40 * np.sin(7 * x + i) * np.cos(5 * y) + 3 * z).astype(dtype)
        T[3, 5, 7] = np.nan
        T[4, :, 9] = 1e20
        T[5, 2, 11], T[6, 3, 13] = np.inf, -np.inf
        return T
"""
WRITER = (
    FIELD
    + """
    import staithe, sys
    readers, steps, options = int(sys.argv[1]), int(sys.argv[2]), eval(sys.argv[3])
    with staithe.writer("melt", readers=readers, timeout=30, **options) as out:
        print("opened", flush=True)
        for i in range(steps):
            with out.step() as step:
                step.put("T", field(i), fill=1e20)
                step.put("u", field(i, "c8"), error="0.5 abs")
                step.put("fortran", np.asfortranarray(field(i, "f8")), fill=1e20, error="1e-3 pw_rel")
                step.put("n", np.arange(200_000, dtype="i4").reshape(2, 2, 5, 100, 100))
                step.put("none", np.empty((0, 4)))
"""
)
# By how much each variable is off, of all steps.
READER = (
    FIELD
    + """
    import staithe, sys
    off = {}
    with staithe.reader("melt", timeout=30, **eval(sys.argv[1])) as stream:
        for step in stream:
            for name, sent in [("T", field(step.index)), ("u", field(step.index, "c8")),
                               ("fortran", field(step.index, "f8")),
                               ("n", np.arange(200_000, dtype="i4").reshape(2, 2, 5, 100, 100))]:
                got = step[name][...]
                assert got.dtype == sent.dtype and got.shape == sent.shape, name
                if name == "u":  # the error is of each part of a number
                    got, sent = got.view("f4"), sent.view("f4")
                special = ~np.isfinite(sent)
                if name in ("T", "fortran"):
                    special |= sent == np.float32(1e20)  # fill
                assert np.array_equal(got[special], sent[special], equal_nan=True), name
                difference = np.abs(got[~special].astype("c16") - sent[~special])
                off[name] = max(off.get(name, 0.0), float(difference.max()))
            assert step["none"][...].shape == (0, 4)
            assert step["T"].error == sys.argv[2] and step["n"].error == sys.argv[3]
    print(off)
"""
)


def off_by(host: Host, env: dict[str, str], options: str, error_of_t: str, error_of_n: str) -> dict[str, float]:
    reader = host.python(READER, options, error_of_t, error_of_n, env=env)
    result: dict[str, float] = eval(result_of(reader))
    return result


@pytest.fixture
def melt(hosts: list[Host], together: dict[str, str]) -> Melt:
    """Starts a writer on the first host."""

    def start(readers: int, options: str, steps: int = 2) -> None:
        writer = hosts[0].python(
            WRITER, str(readers), str(steps), options, env=together | {"STAITHE_LISTEN": "0.0.0.0:0"}
        )
        assert line_of(writer) == "opened"

    return start


RANGE = 86.0  # of T, at most


def test_readers_elsewhere_get_values_within_the_error_and_those_of_the_host_as_they_are(
    hosts: list[Host], together: dict[str, str], melt: Melt
) -> None:
    melt(3, "{'error': {'T': '1e-3 rel', '*': '2 abs'}}")
    alpha, beta, gamma = hosts
    far = beta.python(READER, "{'codec': 'dq', 'error': {'fortran': '0.01 abs'}}", "0.001 rel", "2 abs", env=together)
    choosing = gamma.python(READER, "{}", "0.001 rel", "2 abs", env=together)
    near = off_by(alpha, together, "{'codec': 'dq'}", "0.001 rel", "2 abs")
    assert near == {"T": 0.0, "u": 0.0, "fortran": 0.0, "n": 0.0}
    off = eval(result_of(far))
    assert 0 < off["T"] <= 1e-3 * RANGE and 0 < off["u"] <= 0.5 and 0 < off["fortran"] <= 0.01 and off["n"] == 0
    off = eval(result_of(choosing))
    assert off["T"] <= 1e-3 * RANGE and off["u"] <= 0.5 and off["fortran"] <= 1e-3 * 345 and off["n"] == 0


# A variable that is another one in each step.
ODD = """
    import numpy as np, staithe, sys
    KINDS = [((40, 60, 80), "f4"), ((7, 9), "f8"), ((3,), "i4"), ((8, 8, 8, 8, 5), "c8"), ((0, 4), "f4"), ((), "f8")]
    def odd(i):
        shape, dtype = KINDS[i % len(KINDS)]
        values = np.linspace(-3 - i, 5, int(np.prod(shape))).astype(dtype).reshape(shape)
        if values.dtype.kind != "i" and values.size > 20:
            values.flat[[1, 5, 9, 13]] = np.nan, np.inf, -np.inf, 1e20
        return values
"""
WRITES_ODD = (
    ODD
    + """
    with staithe.writer("odd", timeout=30, error="0.01 abs") as out:
        print("opened", flush=True)
        for i in range(3 * len(KINDS)):
            with out.step() as step:
                step.put("x", odd(i), fill=1e20 if odd(i).dtype.kind == "f" else None)
    """
)
READS_ODD = (
    ODD
    + """
    with staithe.reader("odd", timeout=30, **eval(sys.argv[1])) as steps:
        for step in steps:
            got, sent = np.asarray(step["x"][...]), odd(step.index)
            assert got.dtype == sent.dtype and got.shape == sent.shape, step.index
            got, sent = got.ravel().view(got.real.dtype), sent.ravel().view(sent.real.dtype)
            special = ~np.isfinite(sent) | (np.abs(sent) > 1e19)
            assert np.array_equal(got[special], sent[special], equal_nan=True), step.index
            off = np.abs(got[~special].astype("f8") - sent[~special])
            assert off.max(initial=0) <= (0 if sent.dtype.kind == "i" else 0.01), step.index
    print(step.index)
    """
)


@pytest.mark.parametrize("options", ["{}", "{'codec': 'dq'}"])
def test_a_variable_may_be_another_one_in_each_step(hosts: list[Host], together: dict[str, str], options: str) -> None:
    alpha, beta, _ = hosts
    writer = alpha.python(WRITES_ODD, env=together | {"STAITHE_LISTEN": "0.0.0.0:0"})
    assert line_of(writer) == "opened"
    assert result_of(beta.python(READS_ODD, options, env=together)).strip() == "17"


def test_a_reader_is_content_with_more_or_with_less(hosts: list[Host], together: dict[str, str], melt: Melt) -> None:
    melt(2, "{'error': '1e-3 rel'}")
    _, beta, gamma = hosts
    coarse = beta.python(READER, "{'codec': 'dq', 'error': {'*': '10 abs'}}", "0.001 rel", "0.001 rel", env=together)
    exact = off_by(gamma, together, "{'codec': 'dq', 'error': 'exact'}", "0.001 rel", "0.001 rel")
    assert exact == {"T": 0.0, "u": 0.0, "fortran": 0.0, "n": 0.0}
    off = eval(result_of(coarse))
    assert 1e-3 * RANGE < off["T"] <= 10 and off["n"] == 0


@pytest.mark.parametrize("codec", ["shuffle+lz4", "shuffle+zstd", "zfp", "sz3"])
def test_the_codec_that_is_wanted_is_taken(hosts: list[Host], together: dict[str, str], melt: Melt, codec: str) -> None:
    melt(1, "{'error': {'T': '0.1 abs'}}", 1)
    off = off_by(hosts[1], together, f"{{'codec': '{codec}', 'error': {{'fortran': 'exact'}}}}", "0.1 abs", "exact")
    assert off["T"] <= 0.1 and off["u"] <= 0.5 and off["fortran"] == 0 and off["n"] == 0


def test_what_the_wanted_codec_cannot_keep_goes_otherwise(
    hosts: list[Host], together: dict[str, str], melt: Melt
) -> None:
    melt(1, "{'error': {'T': '1e-3 rel', '*': '2 abs'}}")
    off = off_by(hosts[1], together, "{'codec': 'dq'}", "0.001 rel", "2 abs")
    assert 0 < off["T"] <= 1e-3 * RANGE and off["fortran"] <= 1e-3 * 345


def test_nothing_said_is_exact(hosts: list[Host], together: dict[str, str], melt: Melt) -> None:
    melt(1, "{}")
    off = off_by(hosts[1], together, "{'error': {'u': 'exact', 'fortran': 'exact'}}", "exact", "exact")
    assert off == {"T": 0.0, "u": 0.0, "fortran": 0.0, "n": 0.0}


def test_over_a_slow_link_steps_take_fewer_bytes(hosts: list[Host], together: dict[str, str], melt: Melt) -> None:
    alpha, beta, _ = hosts
    for host in (alpha, beta):
        host.limit(200e6)
    melt(1, "{'error': '1e-3 rel'}", 8)
    before = beta.received
    off = off_by(beta, together, "{'error': {'u': '0.5 abs', 'fortran': '0.05 abs'}}", "0.001 rel", "0.001 rel")
    assert 0 < off["T"] <= 1e-3 * RANGE
    raw = 8 * 32 * 128 * 128 * (4 + 8 + 8)
    assert beta.received - before < raw / 2


def test_transforms_tells_what_was_chosen_and_how_that_went(
    hosts: list[Host], together: dict[str, str], melt: Melt
) -> None:
    alpha, beta, _ = hosts
    for host in (alpha, beta):
        host.limit(200e6)
    melt(1, "{'error': '1e-3 rel', 'queue_steps': 3}", 9)
    reader = """
        import staithe, subprocess, sys
        with staithe.reader("melt", timeout=30, program="plot") as stream:
            for step in stream:
                step["T"][...], step["n"][...]
                if step.index == 4:
                    for words in ("", "--json"):
                        command = [sys.executable, "-m", "staithe.cli", "transforms", "melt", *words.split()]
                        print(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    """
    out = result_of(beta.python(reader, env=together))
    table, described = out.split("\n\n", 1)
    heads, *rows = [line.split() for line in table.splitlines()]
    assert heads[:5] == ["reader", "variable", "error", "within", "way"]
    error_of_t = [row for row in rows if row[3] == "T"]
    assert any(row[:6] == ["plot.0", "on", "beta", "T", "0.001", "rel"] and "dq" in row[7] for row in error_of_t), table
    [link] = json.loads(described)
    assert link["program"] == "plot" and 0 < link["link_bytes_per_second"] < 100e6
    assert {variable["variable"] for variable in link["coded"]} == {"T", "n"}
    [of_t] = [variable for variable in link["coded"] if variable["variable"] == "T"]
    chosen = max(of_t["ways"], key=lambda way: way["bytes"])
    assert 0 < chosen["within"] <= 1e-3 * RANGE and chosen["tiles"] > 0 == chosen["fallback_tiles"]
    assert chosen["codec"] == "dq" and chosen["coded"] < chosen["bytes"] / 3 and chosen["seconds"] > 0
    predictions = chosen["predictions"]
    assert 0 < predictions["count"] < chosen["tries"] and 0 <= predictions["within_95"] <= 1
    assert 0 <= predictions["coded_off"] < 1 and predictions["seconds_off"] >= 0


def test_transforms_tells_what_the_codec_could_not_keep(
    hosts: list[Host], together: dict[str, str], melt: Melt
) -> None:
    """zfp takes no infinities; what it cannot keep goes by dq, within the error."""
    _, beta, _ = hosts
    melt(1, "{'error': '1e-3 rel', 'queue_steps': 3}", 9)
    reader = """
        import staithe, subprocess, sys
        with staithe.reader("melt", timeout=30, codec="zfp") as stream:
            for step in stream:
                step["n"][...], step["T"][...]
                if step.index == 4:
                    command = [sys.executable, "-m", "staithe.cli", "transforms", "melt"]
                    print(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    """
    table = result_of(beta.python(reader, env=together))
    assert "100 % by dq" in next(line for line in table.splitlines() if " n " in line), table


def test_what_two_hosts_take_is_encoded_once(hosts: list[Host], together: dict[str, str], melt: Melt) -> None:
    _, beta, gamma = hosts
    melt(2, "{'error': {'T': '1e-3 rel'}, 'queue_steps': 2}", 30)
    reader = """
        import json, staithe, sys
        with staithe.reader("melt", timeout=30, codec="dq") as stream:
            for step in stream:
                step["T"][...]
                if step.index == 28:
                    groups = staithe.describe("melt")["readers"]
        links = [group["members"][0]["network"][0] for group in groups]
        ways = [way for link in links for variable in link["coded"] for way in variable["ways"]]
        assert all(0 < way["within"] and way["tiles"] > 0 for way in ways), ways
        print(json.dumps([way["bytes"] for way in ways] + [way["reused"] for way in ways]))
    """
    programs = [host.python(reader, env=together) for host in (beta, gamma)]
    for program in programs:
        one, other, reused_by_one, reused_by_other = json.loads(result_of(program))
        # Of each step the one or the other came first, but for the first ones, of which nobody knew.
        assert (one + other) / 4 < reused_by_one + reused_by_other <= (one + other) / 2


def compiled(source: Path, compiler: str, folder: Path) -> str:
    """A plugin."""
    config = [sys.executable, "-m", "staithe.cli", "config", "--cflags"]
    flags = subprocess.run(config, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    library = folder / f"{source.stem}.so"
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", *flags, source, "-o", library, "-lm"], check=True)
    return str(library)


def ways_tried(host: Host, env: dict[str, str], last: int) -> list[tuple[str | None, int]]:
    """By which codec T went, and how often, up to that step."""
    reader = """
        import staithe, sys
        with staithe.reader("melt", timeout=30) as stream:
            for step in stream:
                step["T"][...]
                if step.index == int(sys.argv[1]):
                    [link] = staithe.describe("melt")["readers"][0]["members"][0]["network"]
        [variable] = link["coded"]
        print([(way["codec"], way["tries"]) for way in variable["ways"]])
    """
    tries: list[tuple[str | None, int]] = eval(result_of(host.python(reader, str(last), env=env)))
    return tries


def test_plugins_of_both_sides_are_tried(
    hosts: list[Host], together: dict[str, str], melt: Melt, shared_directory: Path
) -> None:
    source = ROOT / "examples" / "codec_plugin" / "scale_offset.c"
    for host in hosts[:2]:
        host.limit(400e6)
    together["STAITHE_CODEC_PLUGINS"] = compiled(source, "cc", shared_directory)
    # A hundredth of the time goes to what is tried, which on cores that others use takes longer than it should.
    melt(1, "{'error': {'T': '1e-3 rel'}, 'queue_steps': 3}", 300)
    tries = ways_tried(hosts[1], together, last=298)
    of_plugin = sum(count for codec, count in tries if codec == "scale-offset")
    assert 0 < of_plugin < sum(count for _, count in tries) / 2, tries


def test_a_share_of_each_value_is_no_error_for_plugins_that_may_be_off(
    hosts: list[Host], together: dict[str, str], melt: Melt, shared_directory: Path
) -> None:
    source = ROOT / "tests" / "python" / "codecs" / "plugins" / "naughty.cpp"  # here it is good, exact or not
    for host in hosts[:2]:
        host.limit(400e6)
    together["STAITHE_CODEC_PLUGINS"] = compiled(source, "c++", shared_directory)
    melt(1, "{'error': {'T': '1e-3 pw_rel'}}", 40)
    ways = [codec for codec, _ in ways_tried(hosts[1], together, last=38)]
    assert "shuffle+lz4" in ways and "naughty" not in ways


def test_the_trace_has_what_was_expected_and_what_came_of_it(
    hosts: list[Host], together: dict[str, str], melt: Melt, shared_directory: Path
) -> None:
    for host in hosts[:2]:
        host.limit(200e6)
    together["STAITHE_TRACE"] = str(shared_directory / "traces")
    melt(1, "{'error': '1e-3 rel', 'queue_steps': 3}", 5)
    del together["STAITHE_TRACE"]
    off_by(hosts[1], together, "{}", "0.001 rel", "0.001 rel")
    [file] = (shared_directory / "traces").glob("*.json")
    deadline = time.monotonic() + 20
    while not file.read_text().endswith("]\n"):  # until the writer has ended
        assert time.monotonic() < deadline
        time.sleep(0.05)
    spans = [event for event in json.loads(file.read_text()) if event["name"] == "encode"]
    assert {span["args"]["variable"] for span in spans} == {"T", "u", "fortran", "n"}
    coded = [span["args"] for span in spans if span["args"]["codec"].startswith("dq")]
    assert coded
    for piece in coded:
        assert piece["stream"] == "melt" and piece["expected_us"] > 0 and piece["at_work_us"] > 0
        assert 0 <= piece["first"] < 8 << 20
        assert 0 < piece["coded"] <= piece["bytes"] + 1000
    assert all(span["args"]["coded"] == span["args"]["bytes"] for span in spans if span["args"]["codec"] == "as it is")


@pytest.mark.parametrize("overflow", ["compress", "spill"])
def test_what_a_full_queue_has_encoded_is_read_elsewhere(
    hosts: list[Host], together: dict[str, str], melt: Melt, overflow: str
) -> None:
    """All steps are there before anybody reads one; and what is reduced is reduced of what was encoded."""
    melt(1, f"{{'error': '1e-3 rel', 'queue_steps': 2, 'overflow': '{overflow}'}}", 7)
    late = """
        import staithe, time
        with staithe.reader("melt", timeout=30) as stream:
            time.sleep(1)
            tops = [(int(step["n"].reduce("max")), int(step["n"][1, 1, 4, 99, 99])) for step in stream]
        print(tops)
    """
    tops = eval(result_of(hosts[1].python(late, env=together)))
    assert tops == [(199_999, 199_999)] * 7
    melt(1, f"{{'error': '1e-3 rel', 'queue_steps': 2, 'overflow': '{overflow}'}}", 7)
    off = off_by(hosts[1], together, "{}", "0.001 rel", "0.001 rel")
    assert off["T"] <= 1e-3 * RANGE and off["u"] <= 0.5 and off["fortran"] <= 1e-3 * 345 and off["n"] == 0


def test_what_was_learnt_starts_the_next_run(
    hosts: list[Host], together: dict[str, str], shared_directory: Path
) -> None:
    """A file that is damaged is told of, and written anew."""
    models = shared_directory / "models.json"
    guessed = []  # whether the first piece of T that was coded was expected to take what is guessed before any try
    guesses = {"dq": 3e9, "dq, dense": 1e9}  # bytes a second
    for run in range(3):
        if run == 2:
            models.write_text(models.read_text()[:-9])
        for host in hosts[:2]:
            host.limit(200e6)
        traces = shared_directory / f"traces-{run}"
        env = together | {"STAITHE_MODELS": str(models), "STAITHE_TRACE": str(traces), "STAITHE_LISTEN": "0.0.0.0:0"}
        writer = hosts[0].python(WRITER, "1", "5", "{'error': '1e-3 rel'}", env=env)
        assert line_of(writer) == "opened"
        off_by(hosts[1], together, "{}", "0.001 rel", "0.001 rel")
        result_of(writer)
        [trace] = traces.glob("*.json")
        spans = [event for event in json.loads(trace.read_text()) if event["name"] == "encode"]
        coded = [span for span in spans if span["args"]["variable"] == "T" and span["args"]["codec"] in guesses]
        first = min(coded, key=lambda span: span["ts"])["args"]
        guess = 1e6 * first["bytes"] / guesses[first["codec"]]
        guessed.append(abs(first["expected_us"] - guess) < 0.01 * guess)
        saved = json.loads(models.read_text())
        [(machine, known)] = saved["machines"].items()
        assert "cores" in machine
        assert {"f4 0.001 rel any T", "c8 0.5 abs any u"} <= set(known)
    assert guessed == [True, False, True]


def test_what_cannot_be_is_said_before_anything_is_sent(hosts: list[Host], together: dict[str, str]) -> None:
    reader = """
        import staithe
        for options in ({"error": "1e-3"}, {"error": "80 psnr"}, {"error": 3}, {"codec": "zpf"}):
            try:
                staithe.reader("melt", timeout=5, **options)
            except (staithe.InvalidArgument, staithe.NotFound) as error:
                print(error)
    """
    program = hosts[0].python(reader, env=together)
    out, errors = rest_of(program, 30)
    assert program.returncode == 0, errors
    lines = out.splitlines()
    assert "'1e-3' is no bound" in lines[0] and "'1e-3 rel'" in lines[0]
    assert "abs, rel or pw_rel" in lines[1]
    assert "not int" in lines[2]
    assert "zpf" in lines[3]
    assert len(lines) == 4
