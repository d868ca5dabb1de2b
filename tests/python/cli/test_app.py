from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from staithe.cli.faults import CommandError, explain, report_faults
from staithe.errors import NotFound

Command = Callable[..., tuple[int, str, str]]

pytestmark = pytest.mark.timeout(60)


def test_help_names_every_command(staithe_command: Command) -> None:
    code, out, _ = staithe_command("--help")
    assert code == 0
    for command in ("ls", "show", "top", "run", "analyse", "config"):
        assert f"\n  {command} " in out


def test_help_is_quick_since_nothing_is_loaded_for_it() -> None:
    program = (
        "import sys, staithe.cli.app; print(*[m for m in ('rich', 'yaml', 'multiprocessing') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == []


@pytest.mark.parametrize("arguments", [("shwo",), ("ls", "--jsn"), ("show",), ("top", "--interval", "0"), ("config",)])
def test_wrong_usage_ends_with_2(staithe_command: Command, arguments: tuple[str, ...]) -> None:
    code, out, err = staithe_command(*arguments)
    assert (code, out) == (2, "")
    assert "Error: " in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (NotFound("no stream 'melt'; start its writer"), "no stream 'melt'; start its writer"),
        (CommandError("no"), "no"),
        (OSError(2, "No such file", "a.yaml"), "[Errno 2] No such file: 'a.yaml'"),
        (TypeError("oops"), "TypeError: oops (STAITHE_LOG=debug shows where)"),
    ],
)
def test_an_error_is_one_line(
    error: Exception, line: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("STAITHE_LOG", raising=False)
    assert explain(error) == line
    with pytest.raises(SystemExit, match="1"), report_faults():
        raise error
    assert capsys.readouterr().err == f"staithe: {line}\n"


def test_debugging_shows_the_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAITHE_LOG", "debug")
    with pytest.raises(TypeError, match="oops"), report_faults():
        raise TypeError("oops")
