"""Claims about reports: one page that needs nothing else, tells all, and runs nothing of what people wrote."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from studio.listening.keep.test import FormCount
from studio.listening.plan.plan import METHODS
from studio.listening.report.findings_json import findings_json
from studio.listening.report.html_report import html_report
from studio.listening.vote.vote import Vote
from studio.words.line import Line
from tests.listening.report.sample_tests import HOSTILE, mos_findings, mushra_findings, sample_test, say

VOTES = tuple(Vote("mushra", "L01", 3, "item", "tea", system, "", 50.0, comment=HOSTILE[6]) for system in ("one", "two"))
NO_END = {"meta"}


class Page(HTMLParser):
    """Tags, attributes and words of a page; `stack` is empty at the end of one whose tags are closed in order."""

    def __init__(self, text: str):
        super().__init__()
        self.tags, self.stack, self.attributes, self.words = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes
        if tag not in NO_END:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def report(**how) -> str:
    return html_report(sample_test(), mushra_findings(), VOTES, say, now=1.72e9, **how)


def test_the_report_needs_nothing_and_runs_nothing():
    text = report()
    page = Page(text)
    assert not page.stack
    assert "://" not in text and "@import" not in text
    assert not {"script", "link", "img", "iframe", "object", "base", "form", "a"} & set(page.tags)
    assert not [name for name, _ in page.attributes if name.startswith("on") or name == "src"]
    assert all(value.startswith("#") for name, value in page.attributes if name == "href")
    assert "default-src 'none'" in text and "prefers-color-scheme: dark" in text


def test_names_of_people_and_systems_are_words():
    text = report()
    words = "".join(Page(text).words)
    assert "<img" not in text and "</table><script" not in text
    assert HOSTILE[0] in words and HOSTILE[6] in words and HOSTILE[3] in words


def test_it_tells_the_verdict_who_counts_what_was_heard_and_how():
    page = Page(report(language="de"))
    words = " ".join(page.words)
    assert ("lang", "de") in page.attributes
    assert say("left_out_hidden_reference", {"n": 3, "of": 8}) in words
    for item in sample_test().items:
        assert item.sha256 in words
    assert say("report_standard_mushra", {}) in words and "ab" * 32 in words and "2024-03-09" in words and "2024-07-03" in words
    assert page.tags.count("svg") == 3
    assert say("report_role_lowpass_35", {}) in words


def test_the_verdict_is_the_largest_thing_on_the_page():
    text = report()
    sizes = {rule: float(size) for rule, size in re.findall(r"([\w. ]+) \{[^}]*font-size: (\d+)px", text.partition("@media (max")[0])}
    assert max(sizes, key=sizes.get).strip() == ".claim"
    assert text.index('class="claim"') < text.index("<svg")


def test_a_role_is_said_in_words_where_a_sentence_names_it():
    seen = []
    findings = replace(mushra_findings(), notes=(Line("note", {"name": "reference", "names": ("lowpass-3.5", "one"), "n": 3}),))
    html_report(None, findings, (), lambda key, values: seen.append((key, values)) or key, now=0)
    assert ("note", {"name": "report_role_reference", "names": ("report_role_lowpass_35", "one"), "n": 3}) in seen


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_its_standard_and_votes_alone_make_a_report(method):
    asked = []

    def asking(key, values):
        asked.append(key)
        return say(key, values)

    text = html_report(None, replace(mos_findings(), method=method), (), asking, now=0)
    assert f"report_standard_{method.replace('-', '_')}" in asked and "report_from_votes" in asked
    assert not Page(text).stack


def test_nobody_counted_is_no_success():
    nobody = replace(mushra_findings(), n_listeners=0, n_texts=0, n_votes=0, systems=(), pairs=(), verdict=(Line("verdict_nothing"),))
    text = html_report(None, nobody, (), say, now=0)
    assert 'class="chip ready"' in report() and 'class="chip ready"' not in text
    assert "<svg" not in text and text.count("<table") == 1  # of listeners


def test_only_preferences_have_votes_for_neither():
    findings = mushra_findings()
    tied = replace(findings, pairs=tuple(replace(pair, ties=3) for pair in findings.pairs))
    assert say("report_ties", {}) not in Page(html_report(None, tied, (), say, now=0)).words
    assert say("report_ties", {}) in Page(html_report(None, replace(tied, method="ab"), (), say, now=0)).words


def test_json_tells_findings_plan_sounds_and_what_made_them():
    told = json.loads(findings_json(sample_test(), mushra_findings(), now=1.72e9))
    assert told["date"] == "2024-07-03" and told["seed"] == 7 and told["n_votes"] == 60 and told["builds"] == [HOSTILE[0]]
    assert told["findings"]["listeners"][1]["exclusions"][0]["reason"] == "hidden_reference"
    assert told["plan"]["name"] == HOSTILE[6] and len(told["items"]) == 4 and told["test"]["frozen_hash"] == "ab" * 32
    assert "plan" not in json.loads(findings_json(None, mos_findings()))


def test_what_a_panel_said_of_itself_stands_in_report_and_findings_as_counts_alone():
    counts = (FormCount("age", HOSTILE[0], 3, (("young", 1), (HOSTILE[6], 2))), FormCount("years", "Years?", 2, (), 2.5, 1.0, 4.0))
    test = replace(sample_test(), form_counts=counts)
    words = " ".join(Page(html_report(test, mushra_findings(), VOTES, say)).words)
    assert HOSTILE[0] in words and f"young: 1; {HOSTILE[6]}: 2" in words and "mean 2.5, from 1 to 4" in words
    assert [one["n"] for one in json.loads(findings_json(test, mushra_findings()))["questionnaire"]] == [3, 2]
