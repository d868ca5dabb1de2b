"""`staithe key`."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from .faults import CommandError

_KEY_BYTES = 32  # what the core expects; written as hexadecimal digits


def make_key(file: Path) -> None:
    """Writes a fresh key to a file that only this user can read."""
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError as error:
        raise CommandError(f"{file} is there already: a key is not written over; choose another name") from error
    with os.fdopen(descriptor, "w") as key:
        os.fchmod(key.fileno(), 0o600)  # whatever the umask says
        key.write(secrets.token_hex(_KEY_BYTES) + "\n")
    print(
        f"a key is in {file}. Give it to the other user by a way that nobody else can read, such as `scp`;\n"
        f"both set STAITHE_KEY_FILE to a copy of their own (mode 600), and STAITHE_RUN_DIR to one directory\n"
        f"that belongs to a group of both (chmod 2770)"
    )
