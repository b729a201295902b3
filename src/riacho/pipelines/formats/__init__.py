"""Formats of records: bytes of topics as typed columns and back, a column at a time."""
