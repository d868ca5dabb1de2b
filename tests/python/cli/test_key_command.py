from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path


def test_key_is_made_for_this_user_alone(staithe_command: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    file = tmp_path / "coupling.key"
    code, out, _ = staithe_command("key", str(file))
    assert code == 0 and "STAITHE_KEY_FILE" in out
    assert len(file.read_text().strip()) == 64
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    kept = file.read_text()
    code, _, errors = staithe_command("key", str(file))
    assert code == 1 and "is there already" in errors
    assert file.read_text() == kept
