"""Statements as text, one module a family; `printer.py` is what others call."""
