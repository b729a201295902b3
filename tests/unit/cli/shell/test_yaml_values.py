"""Values changed where they stand in a text of YAML."""

from __future__ import annotations

import pytest
import yaml

from riacho.cli.shell.yaml_values import load_plain, with_values

THEIRS = """\
# My clusters.
version: 1
enable:
  history: true      # of what I type
  inline_help: true
  fuzzy_search:   yes
cluster: local
clusters:
    local: {bootstrap_servers: 'localhost:9092'}   # here
    "prod":
      bootstrap_servers: "b1:9092"
      unknown: [1, 2]   # stays
"""


def test_only_the_values_change() -> None:
    changed = with_values(
        THEIRS, {("enable", "inline_help"): False, ("enable", "fuzzy_search"): False, ("cluster",): "prod"}
    )
    wanted = THEIRS.replace("inline_help: true", "inline_help: false").replace("yes", "false")
    assert changed == wanted.replace("cluster: local", "cluster: prod")


def test_what_is_so_already_stays_byte_for_byte() -> None:
    same = {("enable", "inline_help"): True, ("enable", "fuzzy_search"): True, ("cluster",): "local"}
    assert with_values(THEIRS, same) == THEIRS


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# nothing\n",
        "version: 1",
        "version: 1\nenable:\ncluster:\n",
        "version: 1\nenable: ~\ncluster: ''\n",
        "version: 1\nenable: {}\n",
        "{version: 1, enable: {history: true}}",
        "enable: {fuzzy_search: true, other: 1}\nclusters:\n- odd\n",
        "---\nenable:\n    other: x\nlist: [1]\n",
        "enable: &e\n  a: 1\nother: *e\n" * 0 + "enable:\n  a: &x 1\nother: *x\n",
    ],
)
@pytest.mark.parametrize("name", ["local", "b:9092", "yes", "1", "it's", "ação", "a\nb", "- x", "{}"])
def test_names_that_lack_are_added_and_nothing_is_lost(text: str, name: str) -> None:
    before = load_plain(text) or {}
    after = load_plain(with_values(text, {("enable", "fuzzy_search"): False, ("cluster",): name}))
    assert after["cluster"] == name
    assert after["enable"]["fuzzy_search"] is False
    kept = {key: value for key, value in (before.get("enable") or {}).items() if key != "fuzzy_search"}
    assert kept.items() <= after["enable"].items()
    others = {key: value for key, value in before.items() if key not in ("enable", "cluster")}
    assert {key: after[key] for key in others} == others


def test_a_text_that_cannot_be_changed_in_place_is_refused() -> None:
    for text in ("enable: [1]\n", "- a\n", "base: &b {fuzzy_search: true}\nenable: *b\n"):
        with pytest.raises(yaml.YAMLError):
            with_values(text, {("enable", "fuzzy_search"): False})


def test_no_tag_makes_an_object_and_aliases_are_bounded() -> None:
    with pytest.raises(yaml.YAMLError):
        load_plain("a: !!python/object/apply:os.system ['true']")
    bomb = "a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 20))
    with pytest.raises(yaml.YAMLError, match="aliases"):
        load_plain(bomb)
