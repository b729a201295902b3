from __future__ import annotations

from riacho.base.lru_cache import LruCache


def test_what_was_used_last_is_kept() -> None:
    dropped: list[str] = []
    cache: LruCache[int, str] = LruCache(2, dropped.append)
    assert cache.put(1, "a") == "a"
    cache.put(2, "b")
    assert cache.get(1) == "a"
    cache.put(3, "c")
    assert (cache.get(1), cache.get(2), cache.get(3)) == ("a", None, "c")
    cache.put(1, "new")
    cache.put(4, "d")
    assert (cache.get(1), dropped) == ("new", ["b", "c"])


def test_what_is_taken_out_was_not_dropped() -> None:
    dropped: list[str] = []
    cache: LruCache[int, str] = LruCache(1, dropped.append)
    cache.put(1, "a")
    assert (cache.pop(1), cache.pop(1), cache.get(1)) == ("a", None, None)
    cache.put(2, "b")
    assert (cache.get(2), dropped) == ("b", [])


def test_what_is_not_there_is_made_once() -> None:
    made: list[int] = []
    cache: LruCache[str, list[int]] = LruCache(1)
    for _ in range(2):
        cache.get_or_make("a", lambda: made).append(1)
    assert (cache.get("a"), len(made)) == (made, 2)
    assert cache.get_or_make("b", list) == []
    assert cache.get("a") is None
