"""Files and folders that a connector may reach: those under an allowed folder, once links and `..` are resolved.

Hidden names (`.ssh`, `.git`) under an allowed folder are no part of it, nor are the folders that Riacho keeps for
itself. `open_within` is for use time: it opens one step after the other and follows no link, so that a link which was
made after the check leads nowhere.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from urllib.parse import unquote, urlsplit

from riacho.pipelines.plugin import ConnectError
from riacho.pipelines.reach.limits import ALL, PATHS, URLS, Limits
from riacho.pipelines.reach.urls import matches

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
# To go through a folder one need not be allowed to list it, where the system can tell these apart.
_FOLDER = os.O_DIRECTORY | getattr(os, "O_PATH", os.O_RDONLY)
_PATTERN = re.compile(r"[*?\[\]{}\\]")


def path_refusal(path: str, limits: Limits) -> str | None:
    """Why a connector may not use this file or folder of the machine; None where it may."""
    if ALL in limits.paths:
        return None
    if not path.strip() or "\0" in path:
        return "it is no path"
    real = os.path.realpath(path)
    if _root_of(real, limits):
        return None
    if any(_is_in(real, each) for each in _real(limits.paths)):
        return f"{path} is hidden, or Riacho's own, and would have to be named in {PATHS} by itself"
    return f"{path} is not under one of {PATHS}"


def folder_refusal(text: str, limits: Limits, *, is_replaced: bool = False) -> str | None:
    """The same of what Spark is given: a path, a `file:` URL, or one of other storage. `is_replaced`: everything in it
    goes, so that it must be a folder under an allowed one, with nothing kept in it."""
    if _PATTERN.search(text) and ALL not in limits.paths:
        return "a path with any of * ? [ ] { } \\ is not taken, as it may lead elsewhere"
    if _SCHEME.match(text) is None:
        local: str | None = text
    else:
        local = _local_path(text)
    if local is None:
        if ("?" in text or "#" in text) and ALL not in limits.urls:
            return "an address of storage has no parameters here, as they may lead elsewhere"
        return None if matches(text, limits.urls) else f"{_without_user(text)} is not among {URLS}"
    refusal = path_refusal(local, limits)
    if refusal is None and is_replaced and ALL not in limits.paths:
        real = os.path.realpath(local)
        if real in map(os.path.realpath, limits.paths) or any(_is_in(each, real) for each in _real(limits.kept)):
            return f"{text} cannot be overwritten as a whole: name a folder under one of {PATHS}"
    return refusal


def open_within(path: str, limits: Limits, flags: int) -> int:
    """Open a file that the limits allow, and return its descriptor. Links that were made since are not followed.

    It raises ConnectError where the file may not be reached, and OSError as `os.open` does.
    """
    if ALL in limits.paths:
        return os.open(path, flags, 0o666)
    refusal = path_refusal(path, limits)
    if refusal is not None:
        raise ConnectError(f"The file cannot be opened: {refusal}.")
    real = os.path.realpath(path)
    root = _root_of(real, limits)
    if root is None or root == real:
        raise ConnectError(f"The file {path} cannot be opened: it is a folder.")
    *folders, name = Path(real).relative_to(root).parts
    at = os.open(root, _FOLDER)
    try:
        for folder in folders:
            deeper = os.open(folder, _FOLDER | os.O_NOFOLLOW, dir_fd=at)
            os.close(at)
            at = deeper
        found = os.open(name, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666, dir_fd=at)
    finally:
        os.close(at)
    if not stat.S_ISREG(os.fstat(found).st_mode):
        os.close(found)
        raise ConnectError(f"The file {path} cannot be opened: it is no ordinary file.")
    return found


def _root_of(real: str, limits: Limits) -> str | None:
    """The allowed folder that it is in, the nearest of several."""
    for root in sorted(_real(limits.paths), key=len, reverse=True):
        if not _is_in(real, root):
            continue
        inner = Path(real).relative_to(root).parts
        kept = (each for each in _real(limits.kept) if not _is_in(root, each))
        if not any(part.startswith(".") for part in inner) and not any(_is_in(real, each) for each in kept):
            return root
    return None


def _real(paths: tuple[str, ...]) -> list[str]:
    return [os.path.realpath(each) for each in paths if each]


def _is_in(real: str, folder: str) -> bool:
    return real == folder or real.startswith(folder.rstrip("/") + "/")


def _local_path(url: str) -> str | None:
    """Of a `file:` URL; None of others, and of one that names another host."""
    parts = urlsplit(url)
    if parts.scheme.lower() != "file" or parts.netloc.lower() not in ("", "localhost"):
        return None
    # Hadoop takes the path as it stands, Arrow decodes it: neither may lead out.
    return parts.path if unquote(parts.path) == parts.path and not parts.query else None


def _without_user(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
