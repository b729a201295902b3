"""Spark sessions that know the format `riacho`."""
