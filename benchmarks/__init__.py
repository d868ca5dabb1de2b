"""Staithe beside its peers, and beside the limit of the machine."""
