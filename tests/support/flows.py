"""A queue for each connection of a host, so that each can be capped: few kernels have queues that know connections.

A packet's queue is found by two ports: that from which one end connected, of which each host has its own; and the last
bits of the other, since one port may connect to several. Where no program chose that one, it is of the same range, but
odd: the kernel connects from even ports for as long as there are any, and listens on odd ones.
"""

from __future__ import annotations

_FIRST, _PORTS = 0x8000, 64
_OF_THE_OTHER = 4  # bits
_LOADS = {"ld": 0x60, "load": 0x28, "load x": 0x48, "ldx": 0x01, "store": 0x02, "tax": 0x07}
_CODES = _LOADS | {
    "and": 0x54,
    "shift": 0x64,
    "or": 0x44,
    "or x": 0x4C,
    "goto": 0x05,
    "==": 0x15,
    ">=": 0x35,
    "any of": 0x45,
    "ret": 0x16,
}


def ports_of(host: int) -> range:
    """The ports from which the host of that number, from 1 on, is to connect."""
    return range(_FIRST + _PORTS * host, _FIRST + _PORTS * (host + 1))


def limits(rate: float, hosts: int) -> list[str]:
    """Commands of tc(8) that cap each connection of eth0 at so many bit/s, in a network of so many hosts."""
    first, last = ports_of(1)[0], ports_of(hosts)[-1]
    queues = range((first - _FIRST) << _OF_THE_OTHER, (last + 1 - _FIRST) << _OF_THE_OTHER)
    shape = f"htb rate {rate:.0f}bit burst 128kb quantum 65536"
    program = _program(first, last)
    bytecode = ",".join([str(len(program)), *program])
    return [
        "qdisc add dev eth0 root handle 1: htb",  # what finds no queue is not capped
        *(f"class add dev eth0 parent 1: classid 1:{queue:x} {shape}" for queue in queues),
        f"filter add dev eth0 parent 1: protocol all bpf bytecode '{bytecode}'",
    ]


def _program(first: int, last: int) -> list[str]:
    """Finds a packet's queue, as 0x10000 + its number."""
    return [
        # Where the ports are, in IPv6 and in IPv4.
        *(_do("load", 12), _do("==", 0x86DD, 2, 0), _do("ldx", 34), _do("goto", 1), _do("ldx", 54)),
        # Is the port that it comes from that of the end that connected?
        *(_do("load x", 0), _do(">=", first, 0, 5), _do(">=", last + 1, 4, 0), _do("any of", 1, 3, 0)),
        *(_do("store", 0), _do("load x", 2), _do("goto", 4)),
        *(_do("store", 1), _do("load x", 2), _do("store", 0), _do("ld", 1)),
        # Now that is in 0, and the other loaded.
        *(_do("and", (1 << _OF_THE_OTHER) - 1), _do("tax")),
        *(
            _do("ld", 0),
            _do("and", _FIRST - 1),
            _do("shift", _OF_THE_OTHER),
            _do("or x"),
            _do("or", 0x10000),
            _do("ret"),
        ),
    ]


def _do(operation: str, value: int = 0, if_true: int = 0, if_false: int = 0) -> str:
    return f"{_CODES[operation]} {if_true} {if_false} {value}"
