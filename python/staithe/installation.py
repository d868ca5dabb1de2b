"""Where the files of this installation are that programs in other languages use."""

from __future__ import annotations

from pathlib import Path

from .errors import NotFound


def folder_of(file: str, folder: str) -> Path:
    """The folder that matches, and has a file that does.

    Raises:
        NotFound: there is none.
    """
    import staithe

    # An editable installation spreads the package over several folders.
    for root in staithe.__path__:
        for found in sorted(Path(root).glob(folder)):
            if any(found.glob(file)):
                return found
    raise NotFound(f"this installation of staithe has no {folder}/{file}; install it with: pip install .")


def hdf5_plugin_folder() -> Path:
    """What HDF5_PLUGIN_PATH has to name, so that HDF5 reads chunks that Staithe has encoded.

    Raises:
        NotFound: there is none.
    """
    return folder_of("libh5zstaithe.so", "lib*/hdf5")
