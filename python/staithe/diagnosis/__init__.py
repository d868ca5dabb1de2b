"""What is wrong with the live streams and servers of a run directory: who waits for whom, and what is about to run out.

`diagnose` looks from outside: at what the streams' directors and the servers say, at the run directory, and at /proc.
It changes nothing; `remove` does, if it is given stale files.
"""

from .diagnose import diagnose, diagnose_at
from .files import StaleFile, find_stale_files, remove
from .finding import Finding, Who
from .waits import Wait, waits_in

__all__ = ["Finding", "StaleFile", "Wait", "Who", "diagnose", "diagnose_at", "find_stale_files", "remove", "waits_in"]
