"""Fields × bounds × chains of transforms × placements: nowhere is a value off by more than its variable may be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from between_hosts import PLACED, serving
from hosts import Host, line_of, result_of, skip_reason

pytestmark = pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason()))

CODECS = Path(__file__).resolve().parents[1] / "python" / "codecs"
SENT = f"""
    import itertools, sys
    import numpy as np
    sys.path.append({str(CODECS)!r})
    from arrays import FIELDS, field
    SHAPE, STEPS = (20, 36, 64), 3
    BOUNDS = ["0.1 rel", "1e-3 rel", "1e-6 rel", "0.02 abs", *sys.argv[3:]]
    ERRORS = {{
        f"{{name}}_{{dtype}}_{{number}}": bound
        for name, dtype, (number, bound) in itertools.product(FIELDS, ("f4", "f8"), enumerate(BOUNDS))
    }}
    def sent(variable, step):
        name, dtype, _ = variable.split("_")
        return field(name, dtype, SHAPE, seed=step)
"""
WRITER = (
    SENT
    + """
    import staithe
    stream, options = sys.argv[1], eval(sys.argv[2])
    with staithe.writer(stream, timeout=60, error=ERRORS, **options) as out:
        print("opened", flush=True)
        for number in range(STEPS):
            with out.step() as step:
                for variable in ERRORS:
                    step.put(variable, sent(variable, number))
"""
)
SHARES, EXACT = "1e-3 pw_rel", "exact"  # not every codec keeps them
# Counts values, those that are off at all, and those that are by more than they may.
READER = (
    SENT
    + """
    import json, staithe
    counts = {"steps": 0, "values": 0, "off": 0, "violations": []}
    def allowed(values, bound):
        if bound == "exact":
            return 0.0
        number, kind = bound.split()
        share = float(number)
        return share * {"abs": 1.0, "rel": np.ptp(values), "pw_rel": np.abs(values)}[kind]
    def compare(variable, chain, got, expected, most):
        assert got.shape == expected.shape, (variable, chain)
        difference = np.abs(got.astype("g") - expected.astype("g"))
        counts["values"] += difference.size
        counts["off"] += int(np.count_nonzero(difference))
        if (difference > most * np.longdouble(1 + 1e-12)).any():
            counts["violations"].append([variable, chain, float(difference.max())])
    with staithe.reader(sys.argv[1], timeout=60, **eval(sys.argv[2])) as stream:
        for step in stream:
            counts["steps"] += 1
            for variable, bound in ERRORS.items():
                values = sent(variable, step.index)
                most = np.broadcast_to(allowed(values.astype("g"), bound), values.shape)
                part = (np.s_[1::2], *(np.s_[::-3],) * (values.ndim - 1))
                compare(variable, "whole", step[variable][...], values, most)
                compare(variable, "part", step[variable][part], values[part], most[part])
                subset = step.derive(f"a{variable} = {variable}[1:, ::4]")
                compare(variable, "derived part", subset[...], values[1:, ::4], most[1:, ::4])
                twice = step.derive(f"b{variable} = -2 * {variable}")
                compare(variable, "derived", twice[...], -2 * values, 2 * most)
                largest = np.asarray(step[variable].reduce("max", axis=0))
                compare(variable, "reduced", largest, values.max(axis=0), most.max(axis=0))
                reduced = np.asarray(subset.reduce("min"))
                compare(variable, "reduced part", reduced, values[1:, ::4].min(), most[1:, ::4].max())
    print(json.dumps(counts))
"""
)


def check(printed: str, is_off: bool) -> None:
    counts = json.loads(printed)
    assert counts["violations"] == []
    assert counts["steps"] == 3 and counts["values"] > 3 * 48 * 20 * 36 * 64
    assert (counts["off"] > 0) is is_off


def read_elsewhere(
    reader: Host,
    writer: Host,
    env: dict[str, str],
    options: str,
    of_reader: str,
    more: tuple[str, ...] = (SHARES, EXACT),
) -> str:
    writing = writer.python(WRITER, "fields", options, *more, env=env | {"STAITHE_LISTEN": "0.0.0.0:0"})
    assert line_of(writing) == "opened"
    return result_of(reader.python(READER, "fields", of_reader, *more, env=env), timeout=100)


def test_on_the_writers_host_all_is_exact(hosts: list[Host], together: dict[str, str]) -> None:
    check(read_elsewhere(hosts[0], hosts[0], together, "{}", "{}"), is_off=False)


@pytest.mark.parametrize(
    ("of_reader", "more"),
    [
        ("{}", (SHARES, EXACT)),
        ("{'codec': 'dq'}", (EXACT,)),
        ("{'codec': 'sz3'}", ()),
        ("{'codec': 'zfp'}", ()),
    ],
)
def test_on_another_host(hosts: list[Host], together: dict[str, str], of_reader: str, more: tuple[str, ...]) -> None:
    for host in hosts[:2]:
        host.limit(300e6)
    check(read_elsewhere(hosts[1], hosts[0], together, "{}", of_reader, more), is_off=True)


def test_at_a_server_and_from_there_on_a_third_host(hosts: list[Host], together: dict[str, str]) -> None:
    for host in hosts[:2]:
        host.limit(300e6)
    with serving(hosts[1], together | {"STAITHE_LISTEN": "0.0.0.0:0"}):
        check(read_elsewhere(hosts[2], hosts[0], together | PLACED, "{'keep': 3}", "{}"), is_off=True)


@pytest.mark.parametrize(
    ("options", "more"),
    [("{}", (SHARES, EXACT)), ("{'codec': 'dq'}", (EXACT,)), ("{'codec': 'blosc+zstd'}", (SHARES, EXACT))],
)
@pytest.mark.parametrize("ending", [".zarr", ".h5"])
def test_in_a_file(
    hosts: list[Host], together: dict[str, str], tmp_path: Path, ending: str, options: str, more: tuple[str, ...]
) -> None:
    path = str(tmp_path / f"fields{ending}")
    result_of(hosts[0].python(WRITER, path, options, *more, env=together), timeout=100)
    check(result_of(hosts[0].python(READER, path, "{}", *more, env=together), timeout=100), is_off=True)


def test_in_a_queue_that_compresses(hosts: list[Host], together: dict[str, str]) -> None:
    options = "{'overflow': 'compress', 'queue_steps': 1, 'readers': 1}"
    late = "__import__('time').sleep(2) or {}"
    check(read_elsewhere(hosts[0], hosts[0], together, options, late), is_off=True)
