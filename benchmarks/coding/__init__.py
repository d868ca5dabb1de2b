"""Codecs on fields of all natures, beside their peers and the limit: see ../transforms.py."""
