"""A document by its URL, from the disk (`file:`) or a web server: tokens and keys of an identity provider (KIP-768)."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

_REDIRECTS_MAX = 10


def read_document(url: str, timeout_s: float, size_bytes_max: int) -> bytes:
    """Up to so many bytes of it. OSError, or HttpError in one sentence."""
    parts = urlsplit(url)
    if parts.scheme == "file":
        if parts.netloc not in ("", "localhost"):
            raise OSError(f"'{url}' is not a file of this machine")
        with open(unquote(parts.path), "rb") as file:
            return file.read(size_bytes_max)
    # Not at the top: few have such an address, and it would be a part of every start that can be felt.
    from riacho.client.http_client import HttpClient
    from riacho.client.http_target import HttpError

    client = HttpClient(answer_bytes_max=size_bytes_max, redirects_max=_REDIRECTS_MAX, takes_proxy=True)
    try:
        answer = client.request("GET", url, timeout_s=timeout_s)
    finally:
        client.close()
    if not answer.is_good:
        raise HttpError(f"{url} answered {answer.status} {answer.phrase}.")
    return answer.body
