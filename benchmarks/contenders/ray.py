"""Ray: arrays go into its object store, references through a bounded queue (an actor), views come out.

Between hosts, each has a node of one cluster: the stores send each other what is asked for.
"""

import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..harness.trial import Seat
from .base import Array, Contender, StepReader, StepWriter, untyped

NAMESPACE = "staithe-bench"
QUEUE = "steps"
# Room for the steps of the queue, those held on both sides, and what Ray keeps for itself.
STORE_STEPS = 8


class RayWriter(StepWriter):
    def __init__(self, seat: Seat) -> None:
        self._ray = untyped("ray")
        queue = untyped("ray.util.queue").Queue(
            maxsize=seat.queue, actor_options={"name": QUEUE, "namespace": NAMESPACE, "num_cpus": 0}
        )
        self._actor = queue.actor

    def put(self, arrays: Mapping[str, Array]) -> None:
        # In a list, or Ray would hand the actor the array in place of the reference.
        references = [self._ray.put(array) for array in arrays.values()]
        self._ray.get(self._actor.put.remote(references, None))


class RayReader(StepReader):
    def __init__(self, seat: Seat) -> None:
        self._ray = untyped("ray")
        self._names = seat.names
        while True:
            try:
                self._actor = self._ray.get_actor(QUEUE, namespace=NAMESPACE)
                return
            except ValueError:
                time.sleep(0.01)

    def next(self) -> Mapping[str, Array]:
        references = self._ray.get(self._actor.get.remote(None))
        return dict(zip(self._names, self._ray.get(references), strict=True))


class Ray(Contender):
    """The general-purpose distributed runtime of Python."""

    name = package = "ray"
    most_repeats = 2

    def load(self, seat: Seat) -> None:
        directory = Path(seat.directory)
        address = directory / "ray-address"
        # A token of this trial's own: the default one, in the home directory, both sides would make at once.
        os.environ["RAY_AUTH_MODE"] = "token"
        os.environ["RAY_AUTH_TOKEN_PATH"] = str(directory / "ray-token")
        options: dict[str, Any] = {"namespace": NAMESPACE, "log_to_driver": False, "logging_level": "error"}
        store = max(256 << 20, STORE_STEPS * seat.step_bytes)
        host = seat.trial.host_of(seat.role, seat.rank)
        if host:
            options["_node_ip_address"] = socket.gethostbyname(host)
        if seat.role == "writer":
            (directory / "ray-token").write_text(secrets.token_hex(32))
            context = untyped("ray").init(
                num_cpus=2,
                object_store_memory=store,
                include_dashboard=False,
                _temp_dir=str(directory / "ray"),
                **options,
            )
            unfinished = address.with_suffix(".new")
            unfinished.write_text(context.address_info["address"])
            unfinished.rename(address)
        else:
            while not address.exists():
                time.sleep(0.05)
            if host:
                _start_node(address.read_text(), options["_node_ip_address"], store)
            untyped("ray").init(address=address.read_text(), **options)

    def writer(self, seat: Seat) -> StepWriter:
        self._kept = RayWriter(seat)  # its queue and its arrays would go with it
        return self._kept

    def reader(self, seat: Seat) -> StepReader:
        return RayReader(seat)

    def unload(self) -> None:
        untyped("ray").shutdown()


def _start_node(head: str, own: str, store: int) -> None:
    """Of a cluster that is there; it ends with its host."""
    ray = Path(sys.executable).parent / "ray"
    where = [f"--address={head}", f"--node-ip-address={own}", "--num-cpus=1", f"--object-store-memory={store}"]
    subprocess.run([ray, "start", *where], check=True, stdout=subprocess.DEVNULL)


CONTENDER = Ray()
