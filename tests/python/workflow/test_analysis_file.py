from __future__ import annotations

from pathlib import Path

import pytest

from staithe.workflow.analysis_file import find_analysis, split_reference

BASE = "import staithe\nfrom other import Imported\nclass Base(staithe.Analysis): pass\n"


@pytest.mark.parametrize(
    ("source", "reference", "name"),
    [
        ("from staithe import Analysis\nclass Mean(Analysis): pass\nclass Helper: pass", "a.py", "Mean"),
        (BASE, "a.py", "Base"),
        (BASE + "class Mean(Base): pass", "a.py", "Mean"),
        (BASE + "class Mean(Base): pass", "a.py:Base", "Base"),
        (BASE, "a.py:Imported", "Imported"),
    ],
)
def test_the_class_that_is_meant(tmp_path: Path, source: str, reference: str, name: str) -> None:
    (tmp_path / "a.py").write_text(source)
    found = find_analysis(reference, tmp_path)
    assert (found.file, found.name) == (tmp_path / "a.py", name)
    assert str(found) == f"{tmp_path}/a.py:{name}"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (BASE + "class A(Base): pass\nclass B(Base): pass", "several analyses; choose one of a.py:A, a.py:B"),
        ("class A(A): pass", "no class derived from staithe.Analysis"),
        ("class A(", "line 1, is not valid Python"),
    ],
)
def test_no_class_or_too_many(tmp_path: Path, source: str, message: str) -> None:
    (tmp_path / "a.py").write_text(source)
    with pytest.raises(ValueError, match=message):
        find_analysis("a.py", tmp_path)


def test_references() -> None:
    assert split_reference("dir/a.py:Mean") == ("dir/a.py", "Mean")
    assert split_reference("dir/a.py") == ("dir/a.py", None)
    assert split_reference("c:3/a.py") == ("c:3/a.py", None)
