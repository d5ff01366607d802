"""Lexicon: which written words it finds, and what is said instead."""

import unicodedata
from random import Random

import pytest

from studio.errors import LexiconEntryInvalid, LexiconFull
from studio.reading.lexicon import lexicon as lexicon_module
from studio.reading.lexicon.entry import LexiconEntry
from studio.reading.lexicon.folding import folded
from studio.reading.lexicon.lexicon import Lexicon
from studio.reading.traced_text import TracedText

PHONEME = '<phoneme alphabet="ipa" ph="{}">{}</phoneme>'


def lexicon(*entries: LexiconEntry) -> Lexicon:
    return Lexicon(entry.checked() for entry in entries)


def said(text: str, *entries: LexiconEntry, language: str = "en", takes_phones: bool = False) -> str:
    made = lexicon(*entries).replacements(text, language, takes_phones=takes_phones)
    return TracedText(text).replaced(made).text


def test_the_longest_form_counts_and_what_is_said_is_searched_no_further():
    entries = LexiconEntry("York", "NewYork"), LexiconEntry("New York", "York city"), LexiconEntry("New", "old")
    assert said("New York, York, new.", *entries) == "York city, NewYork, old."


@pytest.mark.parametrize(
    "written,text,wanted,language",
    [
        ("can", "can't can cans can.", "can't X cans X.", "en"),
        ("can't", "can’t can't cannot", "X X cannot", "en"),
        ("Nguyen", "Nguyen's, nguyen-based; Nguyens", "X's, X-based; Nguyens", "en"),
        ("Brien", "O'Brien 'Brien'", "O'Brien 'X'", "en"),
        ("eau", "l'eau, d’eau, château", "l'X, d’X, château", "fr"),
        ("Ankara", "Ankara'da Ankaralı", "X'da Ankaralı", "tr"),
        ("cafe", "cafe café", "X café", "en"),
        ("café", "cafe\u0301 CAFÉ café\u0301", "X X café\u0301", "fr"),
        ("Maß", "Maß MASS mass Masse", "X X X Masse", "de"),
        ("ﬁt", "fit ﬁt ﬁtness", "X X ﬁtness", "en"),
        ("GPT-4", "GPT-4 GPT‑4 GPT-4o GPT-44", "X X GPT-4o GPT-44", "en"),
        ("C++", "C++, C and Cpp", "X, C and Cpp", "en"),
        (".NET", "ASP.NET .net .nets", "ASPX X .nets", "en"),
        ("New York", "New\nYork, new  york, New\n\nYork, NewYork", "X, X, New\n\nYork, NewYork", "en"),
        ("東京", "東京都と東京", "X都とX", "ja"),
        ("NVIDIA", "NVIDIAは強い。 NVIDIA는", "Xは強い。 X는", "ja"),
        ("서울", "서울에서는 서울 서울숲 한서울", "X에서는 X 서울숲 한서울", "ko"),
        ("राम", "राम रामा राम।", "X रामा X।", "hi"),
        ("กรุงเทพ", "ไปกรุงเทพมหานคร", "ไปXมหานคร", "th"),
        ("snake", "snake_case _snake_", "X_case _X_", "en"),
    ],
)
def test_a_word_is_found_where_it_stands_by_itself(written, text, wanted, language):
    assert said(text, LexiconEntry(written, "X"), language=language) == wanted


def test_a_form_that_may_stand_inside_of_words_is_found_there():
    assert said("foobar Barfoo", LexiconEntry("bar", "X", whole_word=False)) == "fooX Xfoo"
    assert said("Straße, STRASSE", LexiconEntry("str", "X", whole_word=False)) == "Xaße, XASSE"
    assert said("Maß", LexiconEntry("mas", "X", whole_word=False)) == "Maß", "half of an ß is no letter"


def test_capitals_count_where_the_entry_minds_them():
    polish = LexiconEntry("Polish", "Poulish", case=True), LexiconEntry("polish", "pollish", case=True)
    assert said("Polish POLISH polish", *polish) == "Poulish POLISH pollish"
    assert said("US us", LexiconEntry("us", "uss"), LexiconEntry("US", "you ess", case=True)) == "you ess uss"


def test_an_entry_stands_for_the_dialects_of_its_language_and_the_nearest_counts():
    entries = LexiconEntry("route", "all"), LexiconEntry("route", "root", language="en"), LexiconEntry("route", "rowt", language="en-US")
    spoken = {language: said("route", *entries, language=language) for language in ("en_us", "en-GB", "de", "", "english")}
    assert spoken == {"en_us": "rowt", "en-GB": "root", "de": "all", "": "all", "english": "all"}


def test_sounds_are_used_where_the_engine_takes_them_and_else_told():
    both, sounds = LexiconEntry("tomato", "tomahto", "təˈmɑːtəʊ"), LexiconEntry("A&B", ipa='/eɪ"/')
    assert said("Tomato", both, takes_phones=True) == PHONEME.format("təˈmɑːtəʊ", "Tomato")
    assert said("Tomato, A&B", both, sounds) == "tomahto, A&B"
    assert said("A&B", sounds, takes_phones=True) == PHONEME.format("eɪ&quot;", "A&amp;B")
    (left,) = lexicon(both, sounds).unusable("Tomato, A&B", "en", takes_phones=False)
    assert (left.start, left.end) == (8, 11) and left.entries == (sounds.checked(),)
    assert not lexicon(both, sounds).unusable("Tomato, A&B", "en", takes_phones=True)


def test_offsets_lead_to_the_written_word_whatever_stands_before_it():
    text = "ß ﬃ e\u0301\u0301\n\n\u1112\u1161\u11ab  İ   naïve".replace("ï", "i\u0308")
    (match,) = lexicon(LexiconEntry("NAÏVE", "x")).matches(text, "")
    assert unicodedata.normalize("NFC", text[match.start : match.end]) == "naïve"
    (match,) = lexicon(LexiconEntry("한", "x")).matches(text, "")
    assert text[match.start : match.end] == "\u1112\u1161\u11ab"


def test_whatever_is_written_matches_are_in_order_and_are_what_their_entries_say():
    random = Random(1)
    letters = [
        "a",
        "b",
        "é",
        "e\u0301",
        "ß",
        "ﬁ",
        " ",
        "  ",
        "\n",
        "\n\n",
        "'",
        "’",
        "-",
        "A",
        "İ",
        "\u1112\u1161",
        "한",
        "東",
        "ส",
        "\u0301",
        "्",
        "1",
    ]
    entries = [LexiconEntry("".join(random.choices(letters, k=random.randint(1, 3))), "x", whole_word=n % 2 > 0) for n in range(200)]
    made = lexicon(*(entry for entry in entries if entry.written.strip()))
    for _ in range(200):
        text, end = "".join(random.choices(letters, k=random.randint(0, 20))), 0
        for match in made.matches(text, "fr"):
            assert end <= match.start < match.end and all(
                folded(text[match.start : match.end]) == folded(entry.written) for entry in match.entries
            )
            end = match.end


def test_entries_are_kept_in_one_form_and_refused_by_a_rule():
    entry = LexiconEntry("  e\u0301  a ", ipa="[ə]", language="PT_br").checked()
    assert (entry.written, entry.ipa, entry.language, entry.key) == ("é a", "ə", "pt-br", ("pt-br", "é a"))
    assert lexicon(entry).get("e\u0301  a", "pt-BR") == entry and lexicon(entry).get("é a") is None
    for wrong, member in (
        (LexiconEntry(" ", "x"), "written"),
        (LexiconEntry("x"), "said"),
        (LexiconEntry("x", "y" * 201), "said"),
        (LexiconEntry("x" * 201, "y"), "written"),
        (LexiconEntry("x\x01", "y"), "written"),
        (LexiconEntry("x", "y", language="<b>"), "language"),
    ):
        with pytest.raises(LexiconEntryInvalid) as refused:
            wrong.checked()
        assert refused.value.parameter == member
    assert "201" in str(refused.value) or refused.value.hint
    with pytest.raises(LexiconFull, match="5,001 entries, and 5,000 are the limit"):
        Lexicon(LexiconEntry(f"w{n}", "x") for n in range(5001))


def test_one_table_is_made_for_the_languages_that_entries_have(monkeypatch):
    made = []
    real = lexicon_module._Table
    monkeypatch.setattr(lexicon_module, "_Table", lambda entries: made.append(len(entries)) or real(entries))
    one = lexicon(LexiconEntry("a", "x"), LexiconEntry("a", "y", language="en"))
    for n in range(50):
        one.matches("a b", f"xx-{n}")
        one.matches("a b", f"en-{n}")
    assert made == [1, 2]
