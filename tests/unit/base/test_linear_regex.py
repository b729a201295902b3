from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riacho.base.linear_regex import LinearRegex, RegexError

MATCHES = [
    ("", ""),
    ("a.*", "abc"),
    ("a|", ""),
    ("a{0}", ""),
    ("()*", ""),
    ("(a*)*", "aaa"),
    ("a{2,}b", "aaaab"),
    ("a{,3}", "a{,3}"),
    ("a{", "a{"),
    ("x+?y??", "xxy"),
    ("my-(app|svc)-\\d{2,3}", "my-svc-12"),
    ("(?:a)(?P<name>b)(?<other>c)", "abc"),
    ("(?i)ABC[d-f]", "abcE"),
    ("(?i:A)b", "ab"),
    ("(?i)a|b", "B"),
    ("(?s).", "\n"),
    ("(?s-i:.)", "\n"),
    ("(?m)a$\\n^b", "a\nb"),
    ("[^a-c]+", "xyz"),
    ("[]a]+", "]a"),
    ("[a-]+", "-a"),
    ("[\\d\\-x]+", "1-x"),
    ("[[:alpha:]_]+\\pL", "ab_é"),
    ("[[:^digit:]]\\p{Lu}\\P{^Ll}", "xÉb"),
    ("\\bfoo\\b.*", "foo bar"),
    ("o\\Bo", "oo"),
    ("^a$", "a"),
    ("\\Aa\\z", "a"),
    ("\\Qa.b*\\E[+]", "a.b*+"),
    ("\\Q(", "("),
    ("\\Q(b\\E+", "(bb"),
    ("\\x41\\x{e9}\\101\\t\\.", "AéA\t."),
    ("\\W\\S\\D", "-xx"),
    ("\\ \\_", " _"),
    ("a(?i)*B", "aab"),
]
DOES_NOT = [
    ("a.*", "bc"),
    ("a", "ab"),
    ("a", "ba"),
    (".", "\n"),
    ("[^a-c]+", "xay"),
    ("my-(app|svc)-\\d{2,3}", "my-svc-1234"),
    ("\\bfoo\\b.*", "foobar"),
    ("(?i:A)b", "aB"),
    ("a$b", "ab"),
    ("a$\\n^b", "a\nb"),
    ("\\Qa.b\\E", "axb"),
    ("(a+)+$", "a" * 5_000 + "!"),
]
WRONG = [
    "(", "a)", "*a", "|*", "a**", "a+*", "a{2}{3}", "(?=a)", "(?!a)", "(?<=a)", "(?<!a)", "(?#c)", "\\1", "[a", "[]",
    "[z-a]", "[a-\\d]", "a{1001}", "a{3,2}", "(a{1000}){1000}", "((((){1000}){1000}){1000}){1000}", "\\", "\\y", "\\x",
    "\\xzz", "\\x{110000}", "(" * 300 + ")" * 300, "(?P<n", "(?P<>a)", "\\p{Foo}", "\\pQ", "[[:foo:]]", "\\8",
    "{2}", "a|{2}", "(?i)*", "\\C", "\\é",
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "text"), MATCHES)
def test_matches(pattern: str, text: str) -> None:
    assert LinearRegex(pattern).fullmatch(text)


@pytest.mark.parametrize(("pattern", "text"), DOES_NOT)
def test_does_not_match(pattern: str, text: str) -> None:
    assert not LinearRegex(pattern).fullmatch(text)


@pytest.mark.parametrize("pattern", WRONG)
def test_what_is_no_pattern(pattern: str) -> None:
    with pytest.raises(RegexError):
        LinearRegex(pattern)


def test_the_budget_is_shared_by_all_texts() -> None:
    regex = LinearRegex("(a|b)*a(a|b){40}", budget=20_000)
    texts = [format(number * 7919, "060b").replace("0", "a").replace("1", "b") for number in range(1_000)]
    assert regex.fullmatch(texts[0])
    with pytest.raises(RegexError, match="too long"):
        [regex.fullmatch(text) for text in texts]


def test_what_is_remembered_costs_nothing() -> None:
    regex = LinearRegex("my-app-.*-[0-9]+", budget=10_000)
    assert all(regex.fullmatch(f"my-app-orders-{number}") for number in range(10_000))


def test_many_states_are_forgotten_and_met_again() -> None:
    regex = LinearRegex("(a|b)*a(a|b){12}", budget=100_000_000)
    for number in range(400):
        text = format(number * 2_654_435_761 % 2**32, "032b").replace("0", "a").replace("1", "b")
        assert regex.fullmatch(text) == (text[-13] == "a")


ATOMS = st.sampled_from(["a", "b", "c", ".", "[ab]", "[^a]", "\\w", "\\b", "^", "$", "(?:)", "\\d"])
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda options: f"({'|'.join(options)})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{0,2}", "{1,}", "*?"])).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        ),
    ),
    max_leaves=8,
)


@settings(deadline=None)
@given(pattern=PATTERNS, text=st.text(alphabet="abc1 -", max_size=7))
def test_it_agrees_with_another_engine(pattern: str, text: str) -> None:
    # Python's `$` also comes before a last line's end; there is none in these texts.
    assert LinearRegex(pattern).fullmatch(text) == (re.fullmatch(pattern, text) is not None)
