"""Whether this Staithe was built with the plugin for RDMA."""

from pathlib import Path

import staithe


def fabric_skip_reason() -> str | None:
    """Why nothing can be read by RDMA here; None: it can, if libfabric has a provider."""
    plugin = Path(staithe.__file__).parent / "lib" / "staithe_fabric.so"
    return None if plugin.exists() else "Staithe was built without libfabric"
