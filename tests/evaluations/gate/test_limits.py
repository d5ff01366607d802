"""Files of limits: what they may say, and what is refused with its place."""

import pytest

from studio.errors import EvaluationLimitsUnusable
from studio.evaluations.gate.limits import Limit, read_limits

WHOLE = b"""
wrong_words: {most: 5}
likeness: {least: 0.8}
ttfp_ms: {p95: {most: 300}, most: 200}
refused: {most: 0}
versa.srmr: {least: 3}
systems:
  Kokoro: {wrong_words: {most: 3}}
since: last.json
"""


def test_limits_are_of_means_or_of_shares_and_of_each_system_or_of_one():
    found = read_limits(WHOLE)
    assert found.limits == (
        Limit("wrong_words", most=5.0),
        Limit("likeness", least=0.8),
        Limit("ttfp_ms", most=200.0),
        Limit("ttfp_ms", "p95", most=300.0),
        Limit("refused", most=0.0),
        Limit("versa.srmr", least=3.0),
        Limit("wrong_words", most=3.0, system="Kokoro"),
    )
    assert (found.since, found.may_be_worse) == ("last.json", False)


def test_json_is_read_too_and_worse_is_said_alone():
    found = read_limits(b'{"worse": false}', "gate.json")
    assert (found.limits, found.since, found.may_be_worse) == ((), None, False)
    assert read_limits(b"refused: {most: 0}").may_be_worse
    assert read_limits(b"since: a.json\nworse: true").may_be_worse


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("wrong_wrods: {most: 5}", "'wrong_wrods' is unknown; did you mean wrong_words?"),
        ("wrong_words: {mots: 5}", "wrong_words: 'mots' is unknown; did you mean most?"),
        ("ttfp_ms: {p95: {mots: 5}}", "ttfp_ms: p95: 'mots' is unknown; did you mean most?"),
        ("systmes: {A: {}}", "did you mean systems?"),
        ("systems: {A: {since: x}}", "systems: A: 'since' is unknown"),
        ("wrong_words: 5", "wrong_words: {most: ...} or {least: ...} is wanted"),
        ("wrong_words: {most: five}", "most: a number is wanted, not 'five'"),
        ("wrong_words: {most: .nan}", "a number is wanted"),
        ("wrong_words: {most: true}", "a number is wanted, not True"),
        ("likeness: {least: 0.9, most: 0.1}", "least is above most"),
        ("systems: [A]", "systems is no table"),
        ("systems: {A: 3}", "systems: A is no table"),
        ("since: 12", "since: a file or the id"),
        ("worse: 3", "worse: true or false is wanted"),
        ("- wrong_words", "gate.yaml is no table"),
        ("", "gate.yaml is no table"),
        ("a: {", "neither YAML nor JSON"),
        ("a: &x {most: 1}\nb: *x", "by reference"),
    ],
)
def test_what_is_no_limit_is_refused_with_its_place(text, told):
    with pytest.raises(EvaluationLimitsUnusable) as refused:
        read_limits(text.encode(), "gate.yaml")
    assert told in str(refused.value)


def test_a_file_that_is_no_text_or_too_large_is_refused():
    for data in (b"\xff\xfe\x00", b" " * (1 << 21)):
        with pytest.raises(EvaluationLimitsUnusable):
            read_limits(data)
