"""Variables that are computed from others, as NumPy computes arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray
from hypothesis import given
from hypothesis import strategies as st

import staithe

DTYPES = ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "f16", "c8", "c16", "c32")
WIDENED = {"f2": "f4"} | dict.fromkeys(("i1", "i2", "i4", "u1", "u2", "u4"), "i8")
Write = Callable[[dict[str, Any]], Any]


@pytest.fixture(scope="module")
def written() -> Iterator[Write]:
    """A function that gives a step of these arrays, a list of which is local arrays; a pair is cut there."""
    with staithe.writer("derived") as out, staithe.reader("derived") as steps:

        def write(arrays: dict[str, Any]) -> Any:
            with out.step() as step:
                for name, array in arrays.items():
                    if isinstance(array, tuple):
                        array, cut = array
                        rest = (0,) * (array.ndim - 1)
                        step.put(name, array[:cut], offset=(0, *rest), shape=array.shape)
                        step.put(name, np.asfortranarray(array[cut:]), offset=(cut, *rest), shape=array.shape)
                    else:
                        step.put(name, array)
            return next(steps)

        yield write


@dataclass
class Term:
    """A text, and what NumPy makes of it: a number that was written stays Python's, and adapts."""

    text: str
    value: Any


def floating(value: Any) -> Any:
    """Whole numbers and truth values as they enter divisions."""
    if isinstance(value, bool | int):
        return float(value)
    return value.astype("f8") if isinstance(value, np.ndarray) and value.dtype.kind in "biu" else value


def numbers(value: Any) -> Any:
    """Truth values are counted."""
    if isinstance(value, bool):
        return int(value)
    return value.astype("i8") if isinstance(value, np.ndarray) and value.dtype.kind == "b" else value


def is_number(term: Term) -> bool:
    return not isinstance(term.value, np.ndarray)


def may_be_off(term: Term) -> bool:
    """In the last bit: functions that no two libraries round alike."""
    return any(name in term.text for name in ("exp", "arctan", "**"))


def kind(term: Term) -> str:
    return np.asarray(term.value).dtype.kind


def of_numbers(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Truth values are counted among themselves, and beside numbers have the numbers' dtype."""

    def applied(a: Any, b: Any) -> Any:
        a, b = (int(each) if isinstance(each, bool) else each for each in (a, b))
        if np.asarray(a).dtype.kind == np.asarray(b).dtype.kind == "b":
            a, b = numbers(a), numbers(b)
        return operation(a, b)

    return applied


BINARY: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "+": ("biufc", of_numbers(np.add)),
    "-": ("biufc", of_numbers(np.subtract)),
    "*": ("biufc", of_numbers(np.multiply)),
    "/": ("biufc", np.true_divide),
    "//": ("biuf", of_numbers(np.floor_divide)),
    "%": ("biuf", of_numbers(np.remainder)),
    "<": ("biuf", of_numbers(np.less)),
    ">=": ("biuf", of_numbers(np.greater_equal)),
    "==": ("biufc", of_numbers(np.equal)),
    "!=": ("biufc", of_numbers(np.not_equal)),
    "&": ("biu", np.bitwise_and),
    "|": ("biu", np.bitwise_or),
    "^": ("biu", np.bitwise_xor),
}
JUMPS = ("//", "%", "<", ">=", "==", "!=", "floor")  # where the last bit may decide over the first one
UNARY: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "-": ("biufc", lambda a: -numbers(a)),
    "abs": ("biufc", lambda a: np.abs(numbers(a))),
    "sqrt": ("biufc", lambda a: np.sqrt(floating(a))),
    "exp": ("biuf", lambda a: np.exp(floating(a))),
    "arctan": ("biuf", lambda a: np.arctan(floating(a))),
    "floor": ("biuf", lambda a: np.floor(numbers(a))),
    "isnan": ("biuf", lambda a: np.isnan(floating(a))),
    "real": ("biufc", lambda a: np.real(numbers(a))),
    "conj": ("c", np.conj),
}


@st.composite
def terms(draw: st.DrawFn, variables: dict[str, Any], depth: int = 3) -> Term:
    """Of arrays, as wide as they are computed in."""
    choice = draw(st.integers(0, 9)) if depth else 0
    if choice <= 2:
        name = draw(st.sampled_from(sorted(variables)))
        return Term(name, variables[name])
    if choice == 3:
        number = draw(st.sampled_from([0, 1, 2, 3, 10, 0.5, 1e-3, 2.0, True]))
        return Term(repr(number), number)
    left = draw(terms(variables, depth - 1))
    if choice == 4:
        name = draw(st.sampled_from([name for name, (kinds, _) in UNARY.items() if kind(left) in kinds]))
        if not is_number(left) and not (name in JUMPS and may_be_off(left)):
            call = f"(-{left.text})" if name == "-" else f"{name}({left.text})"
            return Term(call, UNARY[name][1](left.value))
        return left
    if choice == 5 and not is_number(left):
        exponent = draw(st.integers(0 if kind(left) in "biu" else -3, 4))
        power = numbers(left.value) ** exponent if exponent >= 0 else 1 / left.value**-exponent
        return Term(f"({left.text} ** {exponent})", power)
    right = draw(terms(variables, depth - 1))
    if is_number(left) and is_number(right):
        return left
    if choice == 6 and not is_number(left):
        wanted = BINARY["+"][1](left.value, right.value).dtype
        if wanted.kind in "iufc" and left.value.dtype.kind != "b":
            condition = left.value == left.value
            where = np.where(condition, left.value.astype(wanted), np.asarray(right.value).astype(wanted))
            return Term(f"where({left.text} == {left.text}, {left.text}, {right.text})", where)
        return left
    operators = [name for name, (kinds, _) in BINARY.items() if kind(left) in kinds and kind(right) in kinds]
    name = draw(st.sampled_from(operators))
    if name in JUMPS and (may_be_off(left) or may_be_off(right)):
        return left
    are_arrays = not is_number(left) and not is_number(right)
    if name in "&|^" and kind(left) != kind(right) and (are_arrays or "b" in (kind(left), kind(right))):
        return left  # u8 and i8 have only floating-point numbers in common
    return Term(f"({left.text} {name} {right.text})", BINARY[name][1](left.value, right.value))


def some_values(dtype: str, shape: tuple[int, ...], seed: int) -> Any:
    generator = np.random.default_rng(seed)
    values = generator.standard_normal(shape) * 20
    if np.dtype(dtype).kind == "u":
        values = abs(values)
    array: Any = np.asarray(values).astype(dtype)
    if np.dtype(dtype).kind == "f" and array.size:
        array.ravel()[generator.integers(array.size)] = generator.choice([np.nan, np.inf, -np.inf, 0.0])
    return array


def assert_same(got: Any, wanted: Any, is_single: bool = False) -> None:
    """To single precision, if that is what any of it was computed in."""
    wanted = np.asarray(wanted)
    assert got.dtype == wanted.dtype, (got.dtype, wanted.dtype)
    assert got.shape == wanted.shape
    if wanted.dtype.kind in "fc":
        tolerance = 1e-4 if is_single or wanted.dtype in ("f4", "c8") else 1e-10
        scale = np.abs(wanted[np.isfinite(wanted)]).max(initial=0)
        np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=float(scale) * tolerance)
    else:
        np.testing.assert_array_equal(got, wanted)


@given(data=st.data())
@np.errstate(all="ignore")
def test_as_numpy_computes(written: Write, data: st.DataObject) -> None:
    """Whatever dtypes meet: computed in 64-bit integers, and halves in single precision."""
    shape = tuple(data.draw(st.lists(st.integers(1, 40), min_size=1, max_size=3)))
    given_arrays = {}
    for name in "abc":
        dtype = data.draw(st.sampled_from([dtype for dtype in DTYPES if dtype not in ("c8", "c16", "c32")]))
        lengths = tuple(1 if data.draw(st.integers(0, 5)) == 0 else n for n in shape)[data.draw(st.integers(0, 1)) :]
        given_arrays[name] = some_values(dtype, lengths, data.draw(st.integers(0, 99)))
    cut = {
        name: (array, data.draw(st.integers(1, len(array) - 1))) if array.ndim and len(array) > 1 else array
        for name, array in given_arrays.items()
        if data.draw(st.booleans())
    }
    wide = {
        name: array.astype(WIDENED.get(array.dtype.str.lstrip("<|=").replace("b1", "?"), array.dtype))
        for name, array in given_arrays.items()
    }
    term = data.draw(terms(wide))
    if is_number(term):
        return
    step = written(given_arrays | cut)
    derived = step.derive("result = " + term.text)
    assert derived.name == "result"
    is_single = any(array.dtype == "f4" for array in wide.values())
    if term.text in given_arrays:  # nothing is computed
        term.value = given_arrays[term.text]
    assert_same(derived[...], term.value, is_single)
    key = tuple(
        slice(None, None, data.draw(st.sampled_from([1, 2, -1])))
        for _ in range(data.draw(st.integers(0, np.ndim(term.value))))
    )
    assert_same(np.asarray(derived[key]), term.value[key], is_single)


@given(data=st.data(), dtype=st.sampled_from(["c8", "c16", "c32"]))
@np.errstate(all="ignore")
def test_of_complex_numbers(written: Write, data: st.DataObject, dtype: str) -> None:
    """Of moderate size: what overflows does so in other ways."""
    generator = np.random.default_rng(data.draw(st.integers(0, 99)))
    a, b = (generator.standard_normal((2, 30)) + 1j * generator.standard_normal((2, 30))).astype(dtype)
    x = generator.standard_normal(30).astype("f4")
    step = written({"a": a, "b": b, "x": x})
    for text, wanted in {
        "a * b + 1": a * b + 1,
        "a / b - 2j": a / b - 2j,
        "sqrt(a) ** 2": np.sqrt(a) * np.sqrt(a),
        "exp(a) * x": np.exp(a) * x,
        "abs(a)": np.abs(a),
        "real(a) < imag(b)": a.real < b.imag,
        "conj(a) * a": a.conj() * a,
        "a == b": a == b,
        "complex(x, 2 * x)": x + 2j * x,
        "a ** 2.5": a**2.5,
    }.items():
        assert_same(step.derive(text)[...], wanted)


def test_large_arrays_of_any_order(written: Write) -> None:
    generator = np.random.default_rng(3)
    u = generator.standard_normal((61, 70, 301))
    v = np.asfortranarray(generator.standard_normal(u.shape))
    row = generator.standard_normal(301)
    step = written({"u": (u, 23), "v": v, "row": row, "dt": np.float32(0.5)})
    speed = step.derive("speed = sqrt(u**2 + v**2) * row + dt")
    wanted = np.sqrt(u**2 + v**2) * row + np.float32(0.5)
    assert speed.shape == u.shape
    np.testing.assert_allclose(speed[...], wanted, rtol=1e-14)
    np.testing.assert_allclose(speed[5:50:7, ::-3, 8], wanted[5:50:7, ::-3, 8], rtol=1e-14)
    np.testing.assert_allclose(speed.reduce("max", axis=(0, 2)), wanted.max(axis=(0, 2)), rtol=1e-14)
    np.testing.assert_allclose(step.derive("v*2")[...], v * 2)
    assert [block.box.count for block in speed.blocks] == [(23, 70, 301), (38, 70, 301)]
    assert np.isclose(np.max(speed), wanted.max())
    into = np.empty(u.shape, "f16", order="F")
    speed.read(..., out=into)
    np.testing.assert_allclose(into, wanted, rtol=1e-14)


def test_names(written: Write) -> None:
    step = written({"vel x": np.arange(3.0), "größe": np.arange(3), "and": np.ones(3)})
    assert step.derive("'vel x' + 1").name == "'vel x' + 1"
    assert (step.derive('"the x" = "vel x" * größe')[...] == [0, 1, 4]).all()
    assert step.derive("größe").dtype == "i8"
    assert step.derive("x='and'") is step.derive("x='and'")
    assert step.derive("x='and'").unit == ""


def test_local_arrays_block_by_block(stream: str) -> None:
    """What is said of such variables is the same: which rank has which block."""
    outs = [staithe.writer(stream, group=(rank, 3)) for rank in range(3)]
    with staithe.reader(stream) as steps:
        for rank, out in enumerate(outs):
            with out.step() as step:
                step.put("x", np.arange(rank * 2.0))
                step.put("y", np.full(rank * 2, 10, "f4"))
                step.put("odd", np.arange(rank * 3.0))
                if rank == 0:
                    step.put("dt", np.array([0.5]), offset=(0,), shape=(1,))
                    step.put("all", np.zeros(12), offset=(0,), shape=(12,))
        read = next(steps)
        both = read.derive("both = x * y + dt")
        assert both.local
        wanted = [[], [0.5, 10.5], [0.5, 10.5, 20.5, 30.5]]
        assert [(block.rank, block.data.tolist()) for block in both.blocks] == list(enumerate(wanted))
        assert [block.data.tolist() for block in both.read(share="process")] == wanted
        with pytest.raises(
            staithe.InvalidArgument, match=r"'x' has the shape \(2\), 'odd' \(3\): .* \(the local arrays of rank 1\)"
        ):
            read.derive("x + odd")
        with pytest.raises(staithe.InvalidArgument, match="'x' is 3 local arrays, 'all' is one array"):
            read.derive("x + all")
    for out in outs:
        out.__exit__(ValueError, None, None)  # each would wait for the others to close


def test_numbers_that_were_given_a_dtype_keep_it(written: Write) -> None:
    """And so does what is made of no number at all: x**0."""
    x, n = np.arange(4, dtype="f4"), np.arange(4)
    step = written({"x": x, "n": n})
    for text, wanted in {
        "x**0 + 1": x**0 + 1,
        "x**0 * 1 + x**0": x**0 * 1 + x**0,
        "float64(2) * x": np.float64(2) * x,
        "where(n > 0, float32(1), float32(2))": np.where(n > 0, np.float32(1), np.float32(2)),
        "float32(2) * 3 + n": np.float32(2) * 3 + n,
        "x + 1j": x + 1j,
        "x + float32(2) * 1j": x + np.complex64(2j),
        "n**-2.0 + 0": np.where(n == 0, np.inf, 1 / np.maximum(n, 1) ** 2.0),
        "conj(x)": x,
        "  x + 1 ": x + 1,
        "sign(-1 * x * 0)": np.zeros(4, "f4"),
        "1J * n": 1j * n,
    }.items():
        assert_same(step.derive(text)[...], wanted)
    assert step.derive("  x + 1 ").name == "x + 1"
    tiny = written({"x": np.array([1e20])}).derive("x**-16")[...]
    np.testing.assert_allclose(tiny, np.array([1e20]) ** -16.0, rtol=1e-2)


def test_shapes_that_no_memory_has(written: Write) -> None:
    """Each alone is small."""
    axes = "abcdefgh"
    shapes = {name: [256 if i == k else 1 for i in range(8)] for k, name in enumerate(axes)}
    step = written({name: np.zeros(shape, "u1") for name, shape in shapes.items()})
    with pytest.raises(staithe.InvalidArgument, match=r"makes an array .*, which is too large for any memory"):
        step.derive(" + ".join(axes))
    assert step.derive("a + b").reduce("max") == 0


def test_division_by_nothing(written: Write) -> None:
    """Floating-point numbers become what they are by IEEE 754; whole ones 0, as NumPy has them."""
    step = written({"x": np.array([1.0, 0.0, -1.0]), "n": np.array([7, 0, -7]), "m": np.array([2**63 - 1, -(2**63)])})
    with np.errstate(all="raise"):
        np.testing.assert_array_equal(step.derive("x / 0")[...], [np.inf, np.nan, -np.inf])
        np.testing.assert_array_equal(step.derive("n / 0.0")[...], [np.inf, np.nan, -np.inf])
        np.testing.assert_array_equal(step.derive("n // 0")[...], [0, 0, 0])
        np.testing.assert_array_equal(step.derive("n % 0")[...], [0, 0, 0])
        np.testing.assert_array_equal(step.derive("m // -1")[...], [-(2**63) + 1, -(2**63)])
        np.testing.assert_array_equal(step.derive("m % -1")[...], [0, 0])
        np.testing.assert_array_equal(step.derive("m + 1")[...], [-(2**63), -(2**63) + 1])
        np.testing.assert_array_equal(step.derive("abs(m)")[...], [2**63 - 1, -(2**63)])
        np.testing.assert_array_equal(step.derive("int64(x * 1e300)")[...], [2**63 - 1, 0, -(2**63)])
        np.testing.assert_array_equal(step.derive("n << 64")[...], [0, 0, 0])
        np.testing.assert_array_equal(step.derive("n >> 70")[...], [0, 0, -1])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "at character 1: it ends where something should follow"),
        ("u +", "at character 4: it ends"),
        ("sqrt(u", r"at character 7: '\)' is missing"),
        ("u + i", r"'u' has the shape \(5\), 'i' \(3, 4\): they do not go together"),
        ("1 < u < 2", r"write \(a < b\) & \(b < c\)"),
        ("u and u", "use &, | and ~"),
        ("not u", "use &, | and ~"),
        ("foo(u)", "there is no function 'foo'; there is 'floor'|there is no function 'foo'"),
        ("sin(u, u)", r"sin\(\) takes 1 argument, not 2"),
        ("where(u)", r"where\(\) takes 3 arguments, not 1"),
        ("max(u)", "derive those, and reduce what was derived"),
        ("3 + 4", "names no variable"),
        ("99999999999999999999 * u", r"less than 2\*\*63"),
        ("2**70 * u", "more than 64 bits"),
        ("1e999 * u", "no number of 64 bits is that large"),
        ("u & 1", "'&' is not defined for f8"),
        ("a = b = u", "'=' is not expected here"),
        ("3 = u", "one name stands before '='"),
        ("u $ 3", r"'\$' means nothing here"),
        ("u \x1b[0m", r"'\\x1b' means nothing here"),
        ("'u", "never closed"),
        ("3x", "stand in quotes"),
        ("0x10 * u", "numbers are decimal"),
        ("1 << 64 | n", "more than 64 bits"),
        ("u.max()", "there are no methods"),
        ("max(u, u)", r"it is maximum\(\)"),
        ("é" * 60 + " $", "at character 62"),
        ("(" * 300 + "u" + ")" * 300, "nested more than 200 deep"),
        ("-" * 300 + "u", "nested more than 200 deep"),
        ("u" + "+u" * 2000, "more than 1000 operations"),
        ("u" * 2**20, "at most 65536 characters, this one 1048576"),
        ("where(u, 1, 2)", "asks first for truth values"),
        ("c < 1", "'<' is not defined for c16"),
        ("c // 2", r"'//' is not defined for c16"),
    ],
)
def test_what_is_wrong_is_said(written: Write, text: str, message: str) -> None:
    step = written({"u": np.zeros(5), "n": np.zeros(5, int), "i": np.zeros((3, 4)), "c": np.zeros(5, "c16")})
    with pytest.raises(staithe.InvalidArgument, match=message) as error:
        step.derive(text)
    assert len(str(error.value)) < 400


def test_of_no_such_variable_and_of_elements_that_nobody_wrote(written: Write) -> None:
    with staithe.writer("holes") as out, staithe.reader("holes") as steps:
        with out.step() as step:
            step.put("u", np.arange(8.0))
            step.put("v", np.arange(4.0), offset=(0,), shape=(8,))
        read = next(steps)
        with pytest.raises(staithe.NotFound, match="no variable 'w', which an expression names; it has 'u', 'v'"):
            read.derive("u + w")
        total = read.derive("u + v")
        assert (total[:4] == [0, 2, 4, 6]).all()
        with pytest.raises(staithe.NotFound, match="no rank wrote 4 of the 8 elements"):
            total[...]
        with out.step() as step:
            step.put("u", np.zeros(8))
        next(steps)  # so the one before is released
        with pytest.raises(staithe.Closed):
            read.derive("u")
        with pytest.raises(staithe.Closed):
            total[:4]


@pytest.mark.parametrize("name", ["steps.zarr", "steps.h5"])
def test_of_the_steps_of_a_file(tmp_path: Path, name: str) -> None:
    path = str(tmp_path / name)
    with staithe.writer(path) as out:
        for i in range(3):
            with out.step() as step:
                step.put("u", np.arange(60000.0).reshape(200, 300) + i)
                step.put("n", np.arange(300))
    with staithe.reader(path) as steps:
        for i, step in enumerate(steps):
            wanted = (np.arange(60000.0).reshape(200, 300) + i) * np.arange(300)
            derived = step.derive("u * n")
            assert (derived[3::50] == wanted[3::50]).all()
            assert derived.reduce("max") == wanted.max()
    assert i == 2


def test_a_derived_variable_keeps_its_step(written: Write) -> None:
    kept = written({"u": np.arange(1000.0)}).derive("u + 1")[::2]
    for _ in range(20):
        written({"u": np.zeros(1000)})
    assert (kept == np.arange(1000.0)[::2] + 1).all()


@pytest.mark.parametrize("definitions", ["T = T - 273; warm = T > 1", ["T = T - 273", " warm = T > 1 ; ;"]])
def test_a_reader_derives_variables_of_each_step(stream: str, definitions: Any) -> None:
    """Beside what was put, or in its place; each stands for itself in those after it."""
    with staithe.writer(stream) as out, staithe.reader(stream, derive=definitions) as steps:
        for number in range(2):
            with out.step() as step:
                step.put("T", np.array([273.0, 274, 275 + number]))
                step.put("n", number)
            read = next(steps)
            assert list(read) == ["T", "n", "warm"] and len(read) == 3 and "warm" in read
            assert read["T"][...].tolist() == [0, 1, 2 + number]
            assert read["warm"][...].tolist() == [False, False, True]
            assert read.derive("T * n")[...].tolist() == [0, number, number * (2 + number)]
            assert read["T"].max() == 2 + number
            with pytest.raises(staithe.NotFound, match=r"no variable 'cold'; it has 'T', 'n', 'warm'"):
                read["cold"]


def test_a_step_that_lacks_what_a_definition_names_lacks_it(stream: str) -> None:
    with staithe.writer(stream) as out, staithe.reader(stream, derive="uv = u + v; u = v") as steps:
        with out.step() as step:
            step.put("u", np.arange(3))
        read = next(steps)
        assert list(read) == [] and "uv" not in read and "u" not in read and read.get("uv") is None
        with pytest.raises(staithe.NotFound, match="no variable 'v', which an expression names; it has 'u'"):
            read["uv"]
        with out.step() as step:
            step.put("v", np.arange(3))
        read = next(steps)
        assert list(read) == ["v", "u"]


@pytest.mark.parametrize(
    ("definitions", "why"),
    [
        ("u + 1", r"the definition 'u \+ 1' has no name: write 'name = u \+ 1'"),
        ("a = u +", "character 8"),
        ([f"a = {'a + ' * 99}a"] * 4, "the definitions of its names become too long"),
        (["a = a + 1"] * 2000, "the definitions of its names become too long"),
    ],
)
def test_definitions_that_cannot_be_are_refused_before_a_stream_is_waited_for(definitions: Any, why: str) -> None:
    with pytest.raises(staithe.InvalidArgument, match=why):
        staithe.reader("nobody writes this", derive=definitions, timeout=60)


def test_definitions_are_texts() -> None:
    with pytest.raises(TypeError):
        staithe.reader("nobody writes this", derive=[3], timeout=60)  # type: ignore[list-item]


# Units ------------------------------------------------------------------------------------------------------------


def test_definitions_have_units_and_keep_names_of_dimensions(stream: str, tmp_path: Path) -> None:
    with (
        staithe.writer(stream) as out,
        staithe.reader(stream, derive=["'a b' [km/h] = u * 3.6", "n = u * 2", "row [m]= x+0*u"]) as steps,
        staithe.Recorder(tmp_path / "x.zarr", variables=["a b", "row"]) as recorder,
    ):
        with out.step() as step:
            step.put("u", np.arange(6.0).reshape(2, 3), unit="m/s", attrs={"dims": ["y", "x"], "_FillValue": 0.0})
            step.put("x", np.arange(3.0), unit="m", attrs={"dims": ["x"]})
        step = next(steps)
        assert [(step[name].unit, dict(step[name].attrs)) for name in ("a b", "n", "row")] == [
            ("km/h", {"dims": ["y", "x"]}),
            ("", {"dims": ["y", "x"]}),
            ("m", {"dims": ["y", "x"]}),
        ]
        assert step.derive(" speed [ m/s ] = u").unit == "m/s"
        for text, words in {
            "2 * u [m] + 1": r"at character 8: 'm' is no subscript: .* the unit of a name, as in 'v \[m/s\] = 2",
            "u [m = 2": "at character 3: the bracket is never closed",
            "2 [m] = u": "one name stands before '='",
            "v = u [m]": "at character 8: 'm' is no subscript",
        }.items():
            with pytest.raises(staithe.InvalidArgument, match=words):
                step.derive(text)
        recorder.append(step)
    data = xarray.open_zarr(tmp_path / "x.zarr")
    assert (data["a b"].dims, data["a b"].attrs["units"]) == (("step", "y", "x"), "km/h")


@pytest.mark.parametrize(
    ("unit", "other", "expected"),
    [
        ("K", "degC", 26.85),
        ("degC", "degF", 572.0),
        ("m s-1", "km/h", 1080.0),
        ("cmH2O", "cmH2O", 300.0),
        ("1", "percent", 30000.0),
    ],
)
def test_variables_are_converted_by_what_pint_knows(stream: str, unit: str, other: str, expected: float) -> None:
    with staithe.writer(stream) as out, staithe.reader(stream) as steps:
        with out.step() as step:
            step.put("T", np.full((2, 3), 300, "f4"), unit=unit)
            step.put("it's", np.array([300]), unit=unit)
        step = next(steps)
        converted = step.convert("T", other)
        assert (converted.name, converted.unit, converted.dtype, converted.shape) == ("T", other, "f4", (2, 3))
        assert converted.reduce("mean") == pytest.approx(expected, rel=1e-6)
        assert step.convert("it's", other)[0] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("unit", "other", "words"),
    [
        ("", "m", "'T' has no unit to convert from"),
        ("K", "m", "'T' has the unit 'K', which cannot be converted to 'm': "),
        ("K", "kelwin", "cannot be converted to 'kelwin': "),
        ("lj", "m", "'T' has the unit 'lj', which cannot"),
        ("K", "K**", r"'T' has the unit 'K', which cannot be converted to 'K\*\*': pint makes no unit of 'K\*\*'"),
        ("1/", "m", "'T' has the unit '1/', which cannot be converted to 'm': pint makes no unit of '1/'"),
        ("K", "m]", r"'m\]' is no unit"),
        ("W", "dBm", "is none of 'dBm' by a factor|cannot be converted to 'dBm'"),
        ("m/s", "km/h\n", "is no unit: it has a bracket in it, or a control character"),
        ("dBm", "mW", "'T' has the unit 'dBm', which is none of 'mW' by a factor and an offset"),
    ],
)
def test_units_that_do_not_go_together(stream: str, unit: str, other: str, words: str) -> None:
    with staithe.writer(stream) as out, staithe.reader(stream) as steps:
        with out.step() as step:
            step.put("T", np.zeros(3), unit=unit)
        step = next(steps)
        with pytest.raises(staithe.InvalidArgument, match=words):
            step.convert("T", other)
        with pytest.raises(staithe.NotFound, match="'Tt'"):
            step.convert("Tt", other)


def test_fill_is_no_value_in_another_unit(stream: str) -> None:
    with staithe.writer(stream) as out, staithe.reader(stream) as steps:
        with out.step() as step:
            step.put("T", np.array([300, -9999, 310], "f4"), unit="K", fill=-9999.0)
            step.put("n", np.array([300, -1]), unit="K", attrs={"_FillValue": -1})
        step = next(steps)
        np.testing.assert_allclose(step.convert("T", "degC")[...], [26.85, np.nan, 36.85], rtol=1e-6)
        assert step.convert("T", "degC").dtype == "f4"
        np.testing.assert_allclose(step.convert("n", "degC")[...], [26.85, np.nan])
