"""shared.py put|get SPACE: a third of a plate, and all of it, as test_languages.py describes them."""

from __future__ import annotations

import sys

import numpy as np

import staithe

RANK, RANKS, VERSION = 0, 3, 7


def put(name: str) -> None:
    with staithe.space(name, server="staithe", group=(RANK, RANKS)) as space:
        rows = 10.0 * np.arange(2 * RANK, 2 * RANK + 2)[:, None] + np.arange(4)
        space.put("T", rows, offset=(2 * RANK, 0), shape=(2 * RANKS, 4), version=VERSION, unit="K", run="a12")


def get(name: str) -> None:
    with staithe.space(name, server="staithe") as space:
        got = space.get("T")
        np.testing.assert_array_equal(got, 10.0 * np.arange(2 * RANKS)[:, None] + np.arange(4))
        [version] = space.versions("T")
        assert (version.number, version.unit, dict(version.attrs)) == (VERSION, "K", {"run": "a12"})
        hits = space.query("T > 31 and run == 'a12'")
        print(got.sum(), hits.size)


if __name__ == "__main__":
    {"put": put, "get": get}[sys.argv[1]](sys.argv[2])
