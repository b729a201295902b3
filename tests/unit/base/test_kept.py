from __future__ import annotations

from riacho.base.kept import Kept


def test_what_was_used_last_is_kept() -> None:
    dropped: list[str] = []
    kept: Kept[int, str] = Kept(2, dropped.append)
    assert kept.put(1, "a") == "a"
    kept.put(2, "b")
    assert kept.get(1) == "a"
    kept.put(3, "c")
    assert (kept.get(1), kept.get(2), kept.get(3)) == ("a", None, "c")
    kept.put(1, "new")
    kept.put(4, "d")
    assert (kept.get(1), dropped) == ("new", ["b", "c"])
