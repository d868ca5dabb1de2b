"""Damaged payloads are found out: ProtocolError, and never another error, a crash or an array that is wrong.

A changed byte is covered by a checksum, so no change passes unseen.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import staithe
from staithe import codecs
from thoroughness import examples

sys.path.append(str(Path(__file__).parent))
from arrays import Array
from cases import SAMPLES

PAYLOADS = {name: codecs.encode(array, **options) for name, (array, options) in SAMPLES.items()}
FORMS: dict[str, Callable[[Array], Any]] = {
    "bytes": lambda payload: payload.tobytes(),
    "bytearray": lambda payload: bytearray(payload.tobytes()),
    "memoryview": lambda payload: memoryview(payload.tobytes()),
    "ndarray": lambda payload: payload.copy(),
    "unaligned": lambda payload: np.frombuffer(b"x" + payload.tobytes(), "u1")[1:],
    "signed": lambda payload: payload.view("i1"),
}


def refuse(damaged: Any) -> None:
    """The payload is found out, whatever is asked of it."""
    for call in (codecs.decode, lambda payload: codecs.decode(payload, threads=3)):
        with pytest.raises(staithe.ProtocolError):
            call(damaged)


@settings(max_examples=examples(300))
@given(data=st.data(), name=st.sampled_from(sorted(PAYLOADS)))
def test_random_changes_are_found(data: st.DataObject, name: str) -> None:
    payload = PAYLOADS[name].tobytes()
    damaged = bytearray(payload)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, min(len(payload) - 1, 120)) | st.integers(0, len(payload) - 1))
        piece = data.draw(st.binary(min_size=1, max_size=12))
        damaged[at : at + data.draw(st.sampled_from((0, len(piece))))] = piece  # put between, or in place
    if not damaged.startswith(payload):  # what follows a whole payload is no matter of its own
        refuse(bytes(damaged))


@settings(max_examples=examples(200))
@given(noise=st.binary(max_size=400), head=st.integers(0, 200), name=st.sampled_from(sorted(PAYLOADS)))
def test_noise_is_no_payload(noise: bytes, head: int, name: str) -> None:
    payload = PAYLOADS[name].tobytes()
    damaged = payload[:head] + noise
    if not damaged.startswith(payload):
        refuse(damaged)


@pytest.mark.parametrize("name", PAYLOADS)
def test_inspect_finds_every_change_of_the_header(name: str) -> None:
    payload = bytearray(PAYLOADS[name].tobytes())
    info = codecs.inspect(payload)
    header = 40 + 16 * len(info.shape) + 32 * info.tiles + 8
    assert header <= len(payload)
    for at in range(header):
        payload[at] ^= 64
        with pytest.raises(staithe.ProtocolError):
            codecs.inspect(payload)
        payload[at] ^= 64
        with pytest.raises(staithe.ProtocolError):
            codecs.inspect(payload[:at])
    assert codecs.inspect(payload) == info


def test_tiles_do_not_change_places() -> None:
    payload = codecs.encode(np.repeat(np.arange(3.0), 300_000)).copy()
    count = codecs.inspect(payload).tiles
    assert count > 2
    entries = payload[56 : 56 + 32 * count].reshape(count, 32)
    entries[[0, 1]] = entries[[1, 0]]
    refuse(payload)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", PAYLOADS)
def test_a_payload_may_lie_in_any_bytes(name: str, form: str) -> None:
    payload = FORMS[form](PAYLOADS[name])
    result, expected = codecs.decode(payload), codecs.decode(PAYLOADS[name])
    assert (result.dtype, result.tobytes()) == (expected.dtype, expected.tobytes())
    assert codecs.inspect(payload) == codecs.inspect(PAYLOADS[name])
    refuse(FORMS[form](PAYLOADS[name][:-1]))
    changed = PAYLOADS[name].copy()
    changed[-1] ^= 1
    refuse(FORMS[form](changed))


def test_the_result_keeps_nothing_of_the_payload() -> None:
    payload = FORMS["bytearray"](PAYLOADS["raw"])
    result = codecs.decode(payload)
    payload[:] = bytes(len(payload))
    payload.append(0)  # which a view of it would forbid
    assert result.tobytes() == codecs.decode(PAYLOADS["raw"]).tobytes()


def test_what_holds_no_bytes_is_refused() -> None:
    for wrong in (None, 3, "text", [1, 2, 3], object()):
        wrong_payload: Any = wrong
        for call in (codecs.decode, codecs.inspect):
            with pytest.raises((TypeError, ValueError)):
                call(wrong_payload)
