"""A Slurm cluster on the hosts of tests (hosts.py): its controller on the first, a node on each.

    with network("alpha", "beta", "gamma", shared=tmp_path) as hosts:
        in_cluster = slurm.start(hosts, tmp_path)  # the environment by which programs find it
        hosts[0].run(["srun", "--nodes=3", "hostname"], env=in_cluster)

It ends with the hosts.
"""

from __future__ import annotations

import functools
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

import hosts as network
from hosts import Host

_PROGRAMS = ("slurmctld", "slurmd", "srun", "sbatch", "sinfo")
_STARTING = 30.0  # seconds

# Nobody else reaches the hosts, so there is no munge; and they share the machine's cores, whatever is asked for.
_SETTINGS = """\
ClusterName=hosts
SlurmctldHost={first}
AuthType=auth/none
CredType=cred/none
SlurmUser=root
SlurmdUser=root
StateSaveLocation=/run/slurm
SlurmdSpoolDir=/run/slurm
SlurmctldPidFile=/run/slurm/slurmctld.pid
SlurmdPidFile=/run/slurm/slurmd.pid
SlurmctldDebug=error
SlurmdDebug=error
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SlurmdParameters=config_overrides
SelectType=select/cons_tres
MpiDefault=pmi2
NodeName={names} CPUs=4
PartitionName=all Nodes=ALL Default=YES
"""


@functools.cache
def skip_reason() -> str | None:
    """Why there can be no cluster here; None: there can."""
    if missing := [name for name in _PROGRAMS if shutil.which(name) is None]:
        return f"a Slurm cluster takes {', '.join(missing)} (Debian: slurm-wlm)"
    return network.skip_reason()


def start(hosts: Sequence[Host], shared: Path) -> dict[str, str]:
    """Makes the hosts a cluster that is ready for jobs; its settings lie in the folder, which all of them see."""
    names = ",".join(host.name for host in hosts)
    settings = shared / "slurm.conf"
    settings.write_text(_SETTINGS.format(first=hosts[0].name, names=names))
    (shared / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")  # not looked for, as by default: there may be none
    in_cluster = {"SLURM_CONF": str(settings)}
    for host in hosts:
        (host.root / "run/slurm").mkdir()
    controller = hosts[0].popen(["slurmctld", "-D"], env=in_cluster)
    nodes = [host.popen(["slurmd", "-D", "-N", host.name], env=in_cluster) for host in hosts]
    deadline = time.monotonic() + _STARTING
    while _idle(hosts[0], in_cluster) < len(hosts):
        for daemon in (controller, *nodes):
            if daemon.poll() is not None:
                raise RuntimeError(f"Slurm did not start: {daemon.communicate()[1]}")
        if time.monotonic() > deadline:
            raise RuntimeError(f"Slurm's nodes are not ready after {_STARTING:g} s")
        time.sleep(0.1)
    return in_cluster


def _idle(host: Host, in_cluster: dict[str, str]) -> int:
    """The nodes that wait for jobs."""
    asked = host.popen(["sinfo", "--noheader", "--Node", "--states=idle"], env=in_cluster)
    return len(asked.communicate(timeout=_STARTING)[0].splitlines())
