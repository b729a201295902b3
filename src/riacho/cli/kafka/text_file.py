"""A file that a flag names, JSON or CSV for the tool to understand."""

from __future__ import annotations

from riacho.cli.kafka.launch import ToolError


def read_text_file(path: str) -> str:
    """OSError where it cannot be opened, which every tool tells; ToolError where it is something else than text."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except UnicodeDecodeError:
        raise ToolError(f"Error: {path} is not a text file.") from None
