#!/usr/bin/env python3
"""A remote shell between the hosts of tests, as ssh is between others.

    remote_shell.py serve             on a host: runs what others send, says "ready"
    remote_shell.py [-x] HOST WORD... runs a command there; for MPICH's mpiexec: LAUNCHER, in its environment

As with ssh, what runs there has a session of its own, and learns of the end of who has asked for it only when it
writes. In the group of the test's process, which is none of the host's and so has number 0 there, it could end that:
mpiexec's proxies send signals to the group of a child that may not have one of its own yet.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import threading

LAUNCHER = {"HYDRA_LAUNCHER": "ssh", "HYDRA_LAUNCHER_EXEC": __file__}
PORT = 514


def serve() -> None:
    """Until it is killed."""
    with socket.create_server(("::", PORT), family=socket.AF_INET6, dualstack_ipv6=True) as listening:
        print("ready", flush=True)
        while True:
            connection, _ = listening.accept()
            threading.Thread(target=_run, args=(connection,), daemon=True).start()


def _run(connection: socket.socket) -> None:
    with connection:
        command = connection.makefile().readline()
        subprocess.run(
            ["sh", "-c", command],
            stdin=subprocess.DEVNULL,
            stdout=connection,
            stderr=connection,
            check=False,
            start_new_session=True,
        )


def ask(host: str, words: list[str]) -> None:
    """Passes on what it prints."""
    with socket.create_connection((host, PORT)) as connection:
        connection.sendall(f"{' '.join(words)}\n".encode())
        while data := connection.recv(1 << 16):
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    arguments = [word for at, word in enumerate(sys.argv[1:]) if at > 0 or not word.startswith("-")]
    if arguments == ["serve"]:
        serve()
    else:
        ask(arguments[0], arguments[1:])
