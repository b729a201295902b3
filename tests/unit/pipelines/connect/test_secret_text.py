"""Secrets are taken out of what comes back."""

from __future__ import annotations

from riacho.pipelines.connect.secret_text import Mask


def test_known_secrets_are_hidden() -> None:
    mask = Mask({"pass", "password1", "tok\n", ""})
    assert mask.hide("login password1 with pass and tok, twice: pass") == (
        "login [hidden] with [hidden] and [hidden], twice: [hidden]"
    )
    assert Mask().hide("text") == "text"
