"""Measurements, each printed as a ratio within one run."""
