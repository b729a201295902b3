"""The registry's endpoints, one module a resource; `table.py` puts them together."""
