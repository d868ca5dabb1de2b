"""Variables that lie on other hosts, reduced there: what crosses the network is what becomes of them."""

import signal

import pytest
from hosts import Host, line_of, result_of, skip_reason

pytestmark = pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason()))

WRITER = """
    import numpy as np
    import staithe, sys
    T = np.random.default_rng(0).random((1000, 2000))
    with staithe.writer("melt", timeout=120, **eval(sys.argv[1])) as out:
        print("opened", flush=True)
        for i in range(3):
            with out.step() as step:
                for row in range(0, 1000, 250):
                    block = T[row : row + 250] + i
                    step.put("T", block if row % 500 else np.asfortranarray(block), offset=(row, 0), shape=T.shape)
                step.put("own", np.arange(200_000.0))
                step.put("time", np.float64(i))
                step.put("nothing", np.zeros((0, 3)))
                for column in range(0, 2000, 500):
                    step.put("columns", T[:, column : column + 500], offset=(0, column), shape=T.shape)
                for dtype in ("?", "i1", "u2", "i8", "f2", "f4", "f16", "c16"):
                    step.put(dtype, (T * 100).astype(dtype))
    print("closed", flush=True)
"""

# Steps follow when the first one is released; nothing else crosses the network meanwhile.
READER = """
    import numpy as np
    import staithe
    from pathlib import Path
    def received():
        lines = Path("/proc/net/dev").read_text().split("\\n")
        return sum(int(line.split(":")[1].split()[0]) for line in lines if ":" in line and "lo:" not in line)
    T = np.random.default_rng(0).random((1000, 2000))
    running = {how: staithe.RunningReduction(how, axis=0) for how in ("mean", "std", "max")}
    with staithe.reader("melt", timeout=30) as steps:
        for step in steps:
            before = received()
            for each in running.values():
                each.add(step["T"])
            for how in ("sum", "mean", "min", "max", "var", "std"):
                for axis in (None, 0, 1, (0, 1)):
                    wanted = getattr(np, how)(T + step.index, axis=axis)
                    np.testing.assert_allclose(step["T"].reduce(how, axis=axis), wanted, 1e-12)
                part = (T + step.index)[100:500:3, 1990:7:-2]
                key = (slice(100, 500, 3), slice(1990, 7, -2))
                np.testing.assert_allclose(step["T"].reduce(how, key, axis=0), getattr(np, how)(part, axis=0), 1e-12)
                assert np.isclose(step["T"].reduce(how, (slice(None), 3)), getattr(np, how)((T + step.index)[:, 3]))
            assert np.isclose(step["T"].max(), T.max() + step.index)
            assert np.isclose(np.min(step["T"]), T.min() + step.index)
            assert np.allclose(step["T"].mean(axis=1), T.mean(1) + step.index)
            assert np.isclose(np.std(step["T"]), T.std())
            assert np.allclose(step["T"].var(axis=0, ddof=1), T.var(axis=0, ddof=1))
            assert (step["f4"].std(0).dtype, step["c16"].var().dtype) == ("f4", "f8")
            counts, edges = step["T"].histogram(50)
            expected, its_edges = np.histogram(T + step.index, 50)
            assert (counts == expected).all() and (edges == its_edges).all()
            counts, _ = step["f4"].histogram(7, (10, 80), (slice(None), slice(0, 500)), axis=1)
            assert (counts[3] == np.histogram((T[3, :500] * 100).astype("f4").astype("f8"), 7, (10, 80))[0]).all()
            np.array(0x7D00, "u2")  # two bytes that NumPy gives next: a signalling NaN, of which nobody shall be warned
            assert (step["f4"].sum(0).dtype, step["f2"].mean().dtype) == ("f4", "f2")
            assert received() - before < 2_000_000, received() - before
            assert step["T"].sum(dtype="f4").dtype == "f4"
            try:
                step["T"].mean(ddof=1)
                raise SystemExit("np.mean knows no ddof")
            except TypeError:
                pass
            assert step["T"].var(where=T > 0.5) < 0.1 < step["T"].var(ddof=10) * 2
            assert np.isclose(step["c16"].max(), (T * 100).max(), 0.01)  # NumPy alone compares them, as they came
            # Where nothing is saved the elements come, within the error.
            np.testing.assert_allclose(step["T"].reduce("sum", axis=()), T + step.index, rtol=0, atol=0.0011)
            for dtype in ("?", "i1", "u2", "i8", "f2", "f4", "f16", "c16"):
                values = (T * 100).astype(dtype)
                double = values.astype("f8") if dtype in ("f2", "f4") else values
                assert np.isclose(step[dtype].reduce("sum"), double.sum()), dtype
                assert np.isclose(step[dtype].reduce("mean"), double.mean()), dtype
                assert np.isclose(step[dtype].reduce("var"), double.var()), dtype
                if dtype != "c16":
                    assert step[dtype].reduce("max") == values.max(), dtype
    every = T + np.arange(3)[:, None, None]
    for how, each in running.items():
        np.testing.assert_allclose(each.result(), getattr(np, how)(every, axis=(0, 1)), 1e-12)
    print("well", step.index)
"""


@pytest.mark.parametrize("options", ["{}", "{'error': '1e-3 rel'}"])
def test_arrays_are_reduced_where_they_lie(hosts: list[Host], together: dict[str, str], options: str) -> None:
    """As they were put, whatever error their way might make."""
    alpha, beta, _ = hosts
    writer = alpha.python(WRITER, options, env=together | {"STAITHE_LISTEN": "0.0.0.0:0"})
    assert line_of(writer) == "opened"
    assert result_of(beta.python(READER, env=together)) == "well 2"
    assert result_of(writer) == "closed"


# What crosses the network while something is done is a small part of what lies elsewhere, where it can be.
DERIVING = """
    import sys
    import numpy as np
    import staithe
    from pathlib import Path
    def received():
        lines = Path("/proc/net/dev").read_text().split("\\n")
        return sum(int(line.split(":")[1].split()[0]) for line in lines if ":" in line and "lo:" not in line)
    def moving(most, result):
        before = received()
        value = result()
        if sys.argv[1] == "there":
            assert received() - before < most, (received() - before, most)
        return value
    T = np.random.default_rng(0).random((1000, 2000))
    few = 300_000
    with staithe.reader("melt", timeout=30) as steps:
        for step in steps:
            now, hundred = T + step.index, T * 100
            text = "x = sqrt(T) * 2 + where(i8 > 50, f4, 0)"
            wanted = np.sqrt(now) * 2 + np.where(hundred.astype("i8") > 50, hundred.astype("f4"), 0)
            derived = step.derive(text)
            close = {"rtol": 1e-12, "atol": 0}
            for how in ("sum", "mean", "min", "max", "std"):
                np.testing.assert_allclose(moving(few, lambda: derived.reduce(how)), getattr(np, how)(wanted), **close)
            rows = moving(few, lambda: derived.reduce("max", axis=0))
            np.testing.assert_allclose(rows, wanted.max(0), **close)
            part = (slice(700, 200, -7), slice(None, None, 3))
            got = moving(few, lambda: derived.reduce("mean", part, axis=1))
            np.testing.assert_allclose(got, wanted[part].mean(1), **close)
            counts, _ = moving(few, lambda: derived.histogram(9, (0, 100)))
            assert (counts == np.histogram(wanted, 9, (0, 100))[0]).all()
            # Where rows go on in another block, those few are computed here.
            steep = moving(few, lambda: step.derive("abs(T[1:] - T[:-1])").reduce("max"))
            assert steep == np.abs(now[1:] - now[:-1]).max()
            ring = "T[1:-1, 2:] + T[1:-1, :-2] + T[2:, 1:-1] + T[:-2, 1:-1] - 4 * T[1:-1, 1:-1]"
            curved = now[1:-1, 2:] + now[1:-1, :-2] + now[2:, 1:-1] + now[:-2, 1:-1] - 4 * now[1:-1, 1:-1]
            np.testing.assert_allclose(moving(2 * few, lambda: step.derive(ring).std()), curved.std(), 1e-12)
            # Elements come where they are at most half of what they are made of.
            warm = moving(2_500_000, lambda: step.derive("(T > 0.5 + time) & (f4 < 90)")[...])
            assert (warm == ((now > 0.5 + step.index) & (hundred.astype("f4") < 90))).all()
            both = moving(17_000_000, lambda: step.derive("real(c16) * T - f4")[...])
            np.testing.assert_allclose(both, hundred * now - hundred.astype("f4"), 1e-12)
            assert moving(few, lambda: step.derive("stack(2 * T, T + i8)").reduce("sum", axis=(1, 2))).shape == (2,)
            # Sixteen parts of two blocks each, all of one owner.
            crossed = moving(few, lambda: step.derive("T + columns").reduce("max"))
            np.testing.assert_allclose(crossed, (now + T).max(), 1e-12)
            none = step.derive("sqrt(nothing * nothing + nothing)")
            assert none[...].shape == (0, 3) and none.read(share="process")[0].data.shape == (0, 3)
            assert none.reduce("sum") == 0
            assert step.derive("(nothing > 0)[1:]").reduce("sum", axis=0).tolist() == [0] * 3
            heavy = step.derive(" + ".join(f"sin(T * {i})" for i in range(60)))
            summed = moving(few, lambda: heavy.reduce("mean"))
            np.testing.assert_allclose(summed, sum(np.sin(now * i).mean() for i in range(60)), 1e-9)
            np.testing.assert_allclose(moving(few, lambda: step.derive("own * 2 + time").reduce("sum")),
                                       2 * np.arange(200_000.0).sum() + 200_000 * step.index)
            if step.index == 2:  # from two steps on these would be fetched ahead, while others are looked at
                np.testing.assert_allclose(derived[...], wanted, **close)
                np.testing.assert_allclose(derived[part], wanted[part], **close)
                np.testing.assert_array_equal(step.derive("T[1:] - T[:-1]")[...], now[1:] - now[:-1])
                stacked = step.derive("stack(T[::9, 0], T[-1, :112])")
                np.testing.assert_array_equal(stacked[...], [now[::9, 0], now[-1, :112]])
                long = step.derive(" + ".join(["T"] * 300))  # nested too deep to be computed there
                np.testing.assert_allclose(long.reduce("sum"), 300 * now.sum(), 1e-9)
    print("well", step.index)
"""


@pytest.mark.parametrize(
    ("options", "where"),
    [
        ("{}", "there"),
        ("{'queue_steps': 1, 'overflow': 'spill'}", "anywhere"),
        ("{'queue_steps': 1, 'overflow': 'compress'}", "anywhere"),
    ],
)
def test_variables_are_derived_where_they_lie(
    hosts: list[Host], together: dict[str, str], options: str, where: str
) -> None:
    alpha, beta, _ = hosts
    writer = alpha.python(WRITER, options, env=together | {"STAITHE_LISTEN": "0.0.0.0:0"})
    assert line_of(writer) == "opened"
    assert result_of(beta.python(DERIVING, where, env=together)) == "well 2"
    assert result_of(writer) == "closed"


def test_a_program_that_dies_meanwhile_is_named(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, _ = hosts
    reader = """
        import staithe
        with staithe.reader("melt", timeout=30) as steps:
            step = next(steps)
            print(step["T"].reduce("max") < 1, flush=True)
            input()
            try:
                while True:
                    step["T"].reduce("max")
            except staithe.PeerLost as error:
                print("alpha" in str(error))
    """
    writer = alpha.python(WRITER, "{}", env=together | {"STAITHE_LISTEN": "0.0.0.0:0"})
    assert line_of(writer) == "opened"
    reading = beta.python(reader, env=together)
    assert line_of(reading) == "True"
    writer.send_signal(signal.SIGKILL)
    assert reading.stdin is not None
    reading.stdin.write("\n")
    reading.stdin.flush()
    assert result_of(reading, timeout=60) == "True"
