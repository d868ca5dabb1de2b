"""Runs trials in pinned processes, measures, and reports."""
