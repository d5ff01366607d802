"""Claims about the page's sentences: what a language's file must hold, how numbers are said, and whose language it is."""

import json
import re
from pathlib import Path

import pytest
from gradio.context import LocalContext
from starlette.datastructures import Headers
from starlette.requests import Request

from engines.sentence_catalog import PLURALS, SLOT
from studio.ui.gradio.web import FOLDER as WEB
from studio.ui.gradio.words import language_asked, words
from studio.words.sentences import FOLDER, LANGUAGES, MARK, Sentences, sentences_in
from tests.house.source_files import ROOT

SAMPLES = json.loads((ROOT / "tests/scripts/phrasing_samples.json").read_text(encoding="utf-8"))
MISREAD = re.compile(r'[<>"\\`\x00-\x1f]|\$\{|\{\{|@@|&[\w#]')  # by JSON, HTML, Gradio's templates or the delivery
DESCRIBED = {"errors": {"fact", "hint"}}


def visit(referer: str = "", accepted: str = "") -> Request:
    return Request({"type": "http", "headers": [(b"referer", referer.encode()), (b"accept-language", accepted.encode())]})


def slots(sentence: str) -> set[str]:
    return {slot[0] for slot in SLOT.finditer(sentence)}


def forms(sentence) -> list[str]:
    return [sentence] if isinstance(sentence, str) else list(sentence.values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_says_all_that_english_says_of_the_same_values(language):
    english, other = dict(sentences_in("en").sentences()), dict(sentences_in(language).sentences())
    assert list(other) == list(english), "other keys, or another order"
    for key, sentence in other.items():
        assert isinstance(sentence, str) == isinstance(english[key], str), f"{key}: plural in one language alone"
        for form in forms(sentence):
            assert slots(form) | {"{n}"} == set().union({"{n}"}, *map(slots, forms(english[key]))), f"{key}: other values"
    assert language in PLURALS


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_has_the_plurals_of_its_language_and_nothing_that_is_read_otherwise(language):
    for key, sentence in sentences_in(language).sentences():
        if not isinstance(sentence, str):
            assert {*sentence} | {"many"} == {*PLURALS[language]} | {"many"}, key
        for form in forms(sentence):
            assert not MISREAD.search(form), f"{key}: {form}"
            assert "{" not in SLOT.sub("", form) and "}" not in SLOT.sub("", form), f"{key}: {form}"
            assert form == form.strip() or key in ("figures.comma", "figures.semicolon"), key
    for key, entry in sentences_in(language).sections["errors"].items():
        assert set(entry) == DESCRIBED["errors"], key


def test_what_may_be_one_is_counted_in_its_plural_forms():
    counted = re.compile(r"\{\w+\} (texts|listeners|systems|lanes|voices|hours)\b")
    # There are too many, or a limit is named.
    never_one = {"tests.problem_texts", "tests.power_few_texts", "tests.note_few_for_mushra", "cache.newest"}
    plain = {key for key, sentence in sentences_in("en").sentences() if isinstance(sentence, str) and counted.search(sentence)}
    assert plain - never_one == set()


def test_a_person_is_addressed_alike_all_over():
    for language, other in {"de": r"\w (Sie|Ihr\w*|Ihnen)\b", "zh": "您", "es": r"\b[Uu]sted\b", "fr": r"\b(tu|ton|ta|tes|toi)\b"}.items():
        said = [form for _, sentence in sentences_in(language).sentences() for form in forms(sentence)]
        assert not [form for form in said if re.search(other, form)]


def test_german_has_one_word_for_an_engine():
    assert [key for key, sentence in sentences_in("de").sentences() for form in forms(sentence) if re.search(r"\bEngines?\b", form)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_button_that_undoes_is_spoken_with_the_word_that_is_seen(language):
    said = dict(sentences_in(language).sentences())
    labels = [form for key in said if key.endswith(".undo_label") for form in forms(said[key])]
    assert labels and all(label.startswith(said["notices.undo"]) for label in labels)


def test_no_line_of_french_begins_with_a_mark():
    assert not [form for _, sentence in sentences_in("fr").sentences() for form in forms(sentence) if re.search(r" [:;?!»]|« ", form)]


def test_no_key_stands_twice_and_the_files_are_laid_out_alike():
    for language in LANGUAGES:
        text = (FOLDER / f"{language}.json").read_text(encoding="utf-8")
        pairs = []
        json.loads(text, object_pairs_hook=lambda found, pairs=pairs: pairs.append([key for key, _ in found]) or dict(found))
        assert all(len(keys) == len(set(keys)) for keys in pairs)


def test_each_mark_in_markup_and_handlers_has_words_without_values():
    for file in [*WEB.rglob("*.html"), *Path(ROOT / "studio/ui").rglob("*.py")]:
        text = file.read_text(encoding="utf-8")
        assert "@@" not in MARK.sub("", text) or file.name in ("catalogue.py", "delivery.py"), f"{file.name}: no mark"
        for mark in MARK.finditer(text):
            if mark[1] and mark[1] != "section":
                assert not slots(sentences_in("en").sections[mark[1]][mark[2]]), f"{file.name}: {mark[0]}"


def test_each_key_that_a_script_or_a_handler_names_has_words():
    for file in [*WEB.rglob("*.js"), *Path(ROOT / "studio/ui").rglob("*.py")]:
        for key in re.findall(r'\bwords\("([a-z_]+\.\w+)"', file.read_text(encoding="utf-8")):
            section, name = key.split(".")
            assert name in sentences_in("en").sections.get(section, {}), f"{file.name}: {key}"


@pytest.mark.parametrize(("language", "verb", "values", "said"), SAMPLES["samples"])
def test_numbers_and_plurals_are_said_as_browsers_say_them(language, verb, values, said):
    if verb != "errorWords":  # which handlers leave to the page
        assert getattr(Sentences(language, SAMPLES["catalog"]), verb)(*values) == said


def test_a_number_of_any_size_is_said():
    assert Sentences("en", {}).number(1.5e300).startswith("1,500,000,") and Sentences("en", {}).number(1.5e-300) == "0"


def test_a_key_or_a_value_that_is_not_there_is_a_mistake():
    spoken = Sentences("en", SAMPLES["catalog"])
    for key, values in (("speak.nothing", {}), ("speak", {}), ("nothing.wait", {}), ("speak.wait", {"n": 1})):
        with pytest.raises(KeyError):
            spoken.words(key, values)


def test_marks_become_words_and_what_only_looks_like_one_stays():
    spoken = Sentences("de", {"speak": {"button": "Sprechen", "wait": {"one": "", "other": ""}}})
    assert spoken.marked("<b>@@speak.button@@</b> @@language@@/a") == "<b>Sprechen</b> de/a"
    for text in ("@@speak.nothing@@", "@@nothing.button@@", "@@speak.wait@@", "a@@b.c", "@@ speak.button @@"):
        assert spoken.marked(text) == text


def test_the_address_says_the_language_else_the_browser_else_it_is_english(monkeypatch):
    monkeypatch.setattr("studio.ui.gradio.words.LANGUAGES", ("en", "de", "fr"))

    def asked(query: str = "", accepted: str = "") -> str:
        return language_asked(Headers({"accept-language": accepted}), query)

    assert asked() == asked(accepted="xx, *;q=0.5") == asked(accepted=";;q=,q=x;q=nan") == "en"
    assert asked(accepted="de-AT,de;q=0.9,en;q=0.8") == asked("lang=de", "fr") == asked("a=1&lang=DE-ch", "fr") == "de"
    assert asked(accepted="de;q=0.5, fr;q=0.9, en;q=0.1") == asked("lang=xx", "fr") == asked("lang=", "fr") == "fr"
    assert asked(accepted="de;q=0, fr;q=0.1") == "fr"


def test_a_handler_says_words_in_the_language_of_the_page_that_asked():
    assert words("figures.bytes", n=3) == "3 B"  # outside of an event
    token = LocalContext.request.set(visit("https://studio.example/?lang=xx", "xx"))
    try:
        assert words("figures.bytes", n=3) == "3 B"
    finally:
        LocalContext.request.reset(token)
