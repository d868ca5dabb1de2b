"""Loans: memory of the stream to compute in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import staithe


def test_what_is_computed_in_a_loan_is_read(pair: Any) -> None:
    with pair.out.step() as step, step.loan("v", count=(3, 4), dtype="i4", unit="m", attrs={"a": 1}) as v:
        assert (v.shape, v.dtype, v.flags.c_contiguous, v.flags.writeable) == ((3, 4), np.int32, True, True)
        v[...] = np.arange(12).reshape(3, 4)
    read = next(pair.reader)["v"]
    np.testing.assert_array_equal(read[...], np.arange(12).reshape(3, 4))
    assert (read.unit, read.attrs, read.dtype) == ("m", {"a": 1}, np.int32)


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f2", "f4", "f16", "c8", "c32", np.float64, float])
def test_loans_of_every_kind(pair: Any, dtype: Any) -> None:
    with pair.out.step() as step, step.loan("v", count=3, dtype=dtype) as v:
        v[...] = [0, 1, 1]
    assert next(pair.reader)["v"][...].tolist() == np.array([0, 1, 1], dtype).tolist()


def test_a_loan_without_dtype_is_of_doubles(pair: Any) -> None:
    with pair.out.step() as step, step.loan("v", count=(2, 0)) as v:
        assert v.dtype == np.float64
    assert next(pair.reader)["v"].shape == (2, 0)


def test_a_loan_of_part_of_a_variable(pair: Any) -> None:
    with pair.out.step() as step:
        for first in (0, 2):
            with step.loan("v", count=2, offset=first, shape=4, dtype="i8") as v:
                v[...] = [first, first + 1]
    assert next(pair.reader)["v"][...].tolist() == [0, 1, 2, 3]


def test_a_shape_alone_lends_the_whole(pair: Any) -> None:
    with pair.out.step() as step, step.loan("v", shape=(2, 2)) as v:
        assert v.shape == (2, 2)
        v[...] = 1


def test_an_exception_gives_the_loan_back(pair: Any) -> None:
    with pair.out.step() as step:
        step.put("x", 1)
        with pytest.raises(ZeroDivisionError), step.loan("v", count=10) as v:
            v[...] = 1 / 0
        with pytest.raises(ValueError, match="read-only"):
            v[0] = 1
    assert list(next(pair.reader)) == ["x"]


def test_a_published_array_is_read_only_and_stays_readable(stream: str) -> None:
    with staithe.writer(stream, readers=0) as out, out.step() as step:
        with step.loan("v", count=1000) as v:
            v[...] = 7
            part = v[2:5]
        with pytest.raises(ValueError, match="read-only"):
            v[0] = 1
    assert part.shape == (3,)
    part.sum()  # what it holds now is nobody's promise, but it must not crash


def test_a_loan_serves_once(pair: Any) -> None:
    with pair.out.step() as step:
        loan = step.loan("v", count=1)
        with loan as v:
            v[0] = 1
        with pytest.raises(staithe.Closed, match="used before"), loan:
            pass
        assert "over" in repr(loan)


def test_a_loan_does_not_outlive_its_step(pair: Any) -> None:
    with pair.out.step() as step:
        loan = step.loan("v", count=4)
        v = loan.__enter__()
        v[...] = 1
    with pytest.raises(staithe.Closed, match="is over"):
        loan.__exit__(None, None, None)
    assert list(next(pair.reader)) == []


def test_loans_that_cannot_be(pair: Any) -> None:
    with pair.out.step() as step:
        with pytest.raises(staithe.InvalidArgument, match="needs a count"):
            step.loan("v")
        with pytest.raises(staithe.InvalidArgument, match="cannot have dtype"):
            step.loan("v", count=1, dtype="U3")
        with pytest.raises(staithe.InvalidArgument, match="byte order"):
            step.loan("v", count=1, dtype=">f8")
        with pytest.raises(staithe.InvalidArgument):
            step.loan("v", count=-1)
        with pytest.raises(staithe.InvalidArgument, match="does not lie in"):
            step.loan("v", count=3, offset=3, shape=4)
        with pytest.raises(TypeError):
            step.loan("v", count=1, dtype="no dtype")


def test_a_loan_given_back_can_be_put_instead(pair: Any) -> None:
    with pair.out.step() as step:
        step.loan("v", count=3)  # never entered
        step.put("v", [1, 2, 3])
    assert next(pair.reader)["v"][...].tolist() == [1, 2, 3]
