from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

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


@pytest.mark.parametrize("command", [(), ("ls",), ("run",), ("config",)])
def test_h_is_help(staithe_command: Command, command: tuple[str, ...]) -> None:
    assert staithe_command(*command, "-h") == staithe_command(*command, "--help")


@pytest.mark.parametrize(
    ("words", "found"), [("staithe sh", "show"), ("staithe run fl", "flow.yaml"), ("staithe run --ch", "--check")]
)
def test_the_shell_completes(
    staithe_command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, found: str
) -> None:
    (tmp_path / "flow.yaml").touch()
    monkeypatch.chdir(tmp_path)
    code, out, err = staithe_command(
        _STAITHE_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=str(words.count(" "))
    )
    assert (code, out.split(), err) == (0, [found], "")


def test_completion_is_installed_for_the_shell(tmp_path: Path) -> None:
    # Of a shell: which one it is for is found among the parents.
    command = f"'{sys.executable}' -m staithe.cli --install-completion; exit $?"
    subprocess.run(["bash", "-c", command], env=os.environ | {"HOME": str(tmp_path)}, check=True, timeout=60)
    assert "staithe" in (tmp_path / ".bashrc").read_text()


def test_an_error_cannot_command_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="1"), report_faults():
        raise CommandError("no stream '\x1b[2J\r'")
    assert capsys.readouterr().err == "staithe: no stream '\\x1b[2J\\r'\n"


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
