"""Phones that a text asks for, in the phonemes that OmniVoice reads."""

import re

import pytest

from engines.errors import TextUnspeakable
from engines.omnivoice.text.input_text import PRONUNCIATION, in_brackets


def element(ipa: str) -> str:
    return f'<phoneme alphabet="ipa" ph="{ipa}">x</phoneme>'


@pytest.mark.parametrize(
    ("ipa", "phonemes"),
    [
        ("təˈmeɪtoʊ", "T AH0 M EY1 T OW0"),
        ("təˈmɑːtəʊ", "T AH0 M AA1 T OW0"),
        ("ˈt͡ʃɪkɪn", "CH IH1 K IH0 N"),
        ("nɪə bɛd", "N IH1 R] [B EH1 D"),
        ("ˌʌndərˈstænd", "AH2 N D ER0 S T AE1 N D"),
        ("ˈbɜːd", "B ER1 D"),
        ("ʒɔʁʒ", "ZH AO1 R ZH"),
        ("ˈθɪŋ ðə", "TH IH1 NG] [DH AH0"),
    ],
)
def test_ipa_is_written_in_phonemes_with_their_stress(ipa, phonemes):
    said = in_brackets(f"A {element(ipa)}, yes.", "en")
    assert said == f"A [{phonemes}], yes." and all(re.fullmatch(PRONUNCIATION, mark) for mark in re.findall(r"\[[^]]*\]", said))


def test_what_cannot_be_said_so_is_refused():
    assert in_brackets("No phones: [B EY1 S].", "de") == "No phones: [B EY1 S]."
    assert in_brackets(element("ə"), None) == "[AH0]"
    for ipa, language, sentence in (("ə", "de", "phones_of_other_language"), ("aǃ", "en", "phones_unknown"), ("5", "en", "phones_unknown")):
        with pytest.raises(TextUnspeakable) as refused:
            in_brackets(element(ipa), language)
        assert refused.value.values["sentence"] == sentence
