"""What is measured, one file a family of rows; each says at its head what the limit is."""

from functools import cache
from importlib import import_module

from .base import Case

# The order of the report.
NAMES = (
    "throughput",
    "default_queue",
    "memory",
    "small_steps",
    "latency",
    "many_ranks",
    "redistribution",
    "first_step",
    "idle",
    "many_variables",
    "killed_reader",
    "scale",
)
# Between hosts (tests/support/hosts.py): as root.
HOSTS_NAMES = (
    "hosts_throughput",
    "hosts_small_steps",
    "hosts_latency",
    "hosts_links",
    "hosts_redistribution",
    "hosts_near_and_far",
    "hosts_busy_writer",
    "hosts_memory",
    "hosts_fabric",
)
# With servers, on this machine; `servers_elsewhere` on hosts, as root.
SERVERS_NAMES = (
    "servers_objects",
    "servers_small",
    "servers_blocks",
    "servers_streams",
    "servers_elsewhere",
    "servers_redistribution",
    "servers_disk",
    "servers_queries",
    "servers_million",
    "servers_memory",
    "servers_dask",
    "servers_scale",
)
# What is encoded on its way between hosts, as root; what is computed of it.
IN_FLIGHT_NAMES = (
    "in_flight_links",
    "in_flight_loaded",
    "in_flight_predictions",
    "in_flight_regions",
    "in_flight_reduced",
    "in_flight_derived",
    "in_flight_derived_far",
)
# What is written to files.
FILES_NAMES = ("files_steps", "files_coded", "files_capped", "files_read")


@cache
def case_named(name: str) -> Case:
    module = import_module(f"{__name__}.{name}")
    case = module.CASE
    assert isinstance(case, Case)
    return case
