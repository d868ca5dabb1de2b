"""Lets h5py read what Staithe's codecs have encoded: importing it is all.

::

    import h5py
    import staithe.codecs.hdf5

Other programs that read HDF5 take the environment variable HDF5_PLUGIN_PATH, which ``staithe hdf5-plugin-path`` prints.
"""

from __future__ import annotations

import h5py

from ..installation import hdf5_plugin_folder

h5py.h5pl.append(str(hdf5_plugin_folder()).encode())
