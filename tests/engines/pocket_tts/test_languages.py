"""What the rules of the released models do to the marks of their languages: each deletes or replaces what its training never held."""

import pytest

from engines.pocket_tts.options import VARIANTS
from engines.pocket_tts.released import released_model
from engines.pocket_tts.text_pieces import text_pieces

LANGUAGES = {"french", "german", "italian", "portuguese", "spanish", "dutch"}
SMALL = "english_2m_2026-10"


def read(text: str, variant: str) -> str:
    (piece,) = text_pieces(text, released_model(variant).config.text, lambda part: len(part.split()))
    return piece.text


@pytest.mark.parametrize(
    ("text", "in_english", "elsewhere"),
    [
        ('He said "stop" (loudly) [twice].', 'He said "stop" (loudly) [twice].', "He said stop loudly twice."),
        ("“Halt!” he cried.", "“Halt!” he cried.", "Halt! he cried."),
        ("«Да», сказал он", "«Да», сказал он.", "Да, сказал он."),
        ("»Gut«, sagte sie", "»Gut«, sagte sie.", "Gut, sagte sie."),
        ("„Gut“ - sagt sie", "„Gut“ - sagt sie.", "Gut - sagt sie."),
        ("l’uomo, po’, e un‘altra", "L'uomo, po', e un'altra.", "L'uomo, po', e un'altra."),
        ("rock ’n’ roll", "Rock 'n' roll.", "Rock 'n' roll."),
        ("’s avonds", "'s avonds.", "'s avonds."),
        ("{a} <b> *c* #d @e & 50 % /", "{a} <b> *c* #d @e & 50 % /.", "{a} <b> *c* #d @e & 50 % /."),
    ],
)
def test_quotes_and_brackets_stay_in_english_and_go_elsewhere(text, in_english, elsewhere):
    """As pocket_tts 4.0.1 reads them with its own configurations; a curly apostrophe is a straight one in all."""
    for variant in ("english", SMALL):
        assert read(text, variant) == in_english
    for variant in LANGUAGES:
        assert read(text, variant) == elsewhere


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("A – b — c - d", {"english": "A – b — c - d.", SMALL: "A , b , c - d.", "german": "A , b , c - d.", "": "A , b — c - d."}),
        ("1914–1918", {"english": "1914–1918.", "": "1914,1918."}),
        ("Wait—what?", {SMALL: "Wait,what?", "german": "Wait,what?", "": "Wait—what?"}),
        ("One; two: three", {"french": "One, two, three.", "german": "One, two: three.", "": "One; two: three."}),
        ("¿Qué? ¡Oh!", {"spanish": "Qué? Oh!", "": "¿Qué? ¡Oh!"}),
        ("—Hola —dijo él—. ¿vienes?", {"spanish": "—Hola —dijo él—. vienes?", SMALL: "Hola ,dijo él,. ¿vienes?"}),
    ],
)
def test_dashes_semicolons_colons_and_inverted_marks_go_by_the_model(text, readings):
    """As pocket_tts 4.0.1, but for a comma at the beginning. Under "": of all other languages."""
    for variant in {"english", SMALL, *LANGUAGES} if "" in readings else readings:
        assert read(text, variant) == readings.get(variant, readings.get(""))


def test_blanks_of_french_marks_are_plain_ones():
    assert read("«\u00a0Bonjour\u00a0!\u00a0» dit-elle\u202f; «\u202fça va\u202f?\u00a0»", "french") == "Bonjour ! dit-elle , ça va ?"


def test_a_sentence_that_ends_in_a_quote_of_its_language_has_its_mark():
    assert read("Er rief: „Halt!“\n\nsie nicht", "english") == "Er rief: „Halt!“ sie nicht."
    assert read("»Halt!« – ‚nein‘", "english") == "»Halt!« – ‚nein'."


def test_a_sentence_is_known_by_quotes_that_are_not_read():
    """47 words stand before what is said, which goes on in small letters: the two do not part, though there is room for one of them."""
    first = "Er" + " kam" * 46 + "."
    found = text_pieces(f"{first} „Halt halt!“ rief er.", released_model("german").config.text, lambda part: len(part.split()))
    assert [piece.text for piece in found] == [first, "Halt halt! rief er."]


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_a_model_deletes_or_replaces_is_not_read_in_it(variant):
    rules = released_model(variant).config.text
    text = "Ja " + " x ".join(rules.replace_characters) + " ja"
    said = read(text, variant)
    kept = set(rules.replace_characters.values())
    assert not any(character in said for character in rules.replace_characters if character not in kept)
    assert text_pieces(said, rules, lambda part: len(part.split()))[0].text == said


def test_only_the_oldest_model_is_padded_and_all_want_capitals_and_sentence_marks():
    padded = {variant for variant in VARIANTS if read("so", variant).startswith(" ")}
    assert padded == {"english_2026-01"}
    assert {read("so", variant).strip() for variant in VARIANTS} == {"So."}


def test_an_accent_that_stands_behind_its_letter_is_read_with_it():
    assert read("Un e\u0301te\u0301 a\u0300 Aachen", "french") == "Un \u00e9t\u00e9 \u00e0 Aachen."
