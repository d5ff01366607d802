"""How many frames a text gets is the official rule's (omnivoice 0.2.1, utils/duration.py), for every character and in every script."""

import unicodedata
from collections.abc import Iterable
from hashlib import sha256
from itertools import pairwise

import pytest

from engines.omnivoice.text.duration import LEAST_WEIGHT, MOST_WEIGHT, estimated_frames, range_weight, spoken_weight, weight_per_frame

N_CODE_POINTS = 0x30000  # the planes with letters; what is above weighs as an ideograph
# Of the official function's answers, a byte of tenths for each code point: by where it stands alone, and with its category. The second
# over the characters of Unicode 3.2, which all versions of Python know.
OF_RANGES = "d10e69e26a0b61e99147ef5ef25025f7635b2a3b72f02dc648494d619ff6ea17"
OF_CHARACTERS = "d4a02ea93f8f6a7ecef890760fcc387efbcefddd2567cb73dcb71c721db6ba11"

REFERENCE = ("This is what was said in the recording.", 75)
# Weight, and the official estimates: without a reference, behind this one, behind it at 1.5 times the speed.
SENTENCES = [
    ("en", "The quick brown fox jumps over the lazy dog.", 37.1, 65, 84, 56),
    ("de", "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich.", 56.3, 99, 128, 85),
    ("vi", "Xin chào, hôm nay trời đẹp quá!", 25.2, 48, 57, 38),
    ("ru", "Съешь же ещё этих мягких французских булок.", 37.7, 66, 85, 57),
    ("el", "Η γρήγορη αλεπού πηδάει πάνω από το σκυλί.", 35.9, 63, 81, 54),
    ("hy", "Բարև ձեզ, ինչպե՞ս եք։", 17.1, 42, 46, 30),
    ("ka", "გამარჯობა, როგორ ხარ?", 18.4, 43, 47, 31),
    ("he", "שָׁלוֹם, מה שלומך היום?", 24.1, 47, 54, 36),
    ("arb", "مَرْحَبًا بِالْعَالَم، كيف حالك؟", 30.1, 53, 68, 45),
    ("fa", "سلـــام دنیا، حال شما چطور است؟", 33.5, 59, 76, 50),
    ("hi", "नमस्ते दुनिया, आप कैसे हैं?", 23.4, 46, 53, 35),
    ("bn", "আপনি কেমন আছেন?", 17.1, 42, 46, 30),
    ("ta", "வணக்கம், எப்படி இருக்கிறீர்கள்?", 32.0, 56, 72, 48),
    ("th", "สวัสดีครับ วันนี้อากาศดีมาก", 28.7, 50, 65, 43),
    ("lo", "ສະບາຍດີ ທ່ານສະບາຍດີບໍ?", 24.7, 47, 56, 37),
    ("km", "សួស្តី តើអ្នកសុខសប្បាយទេ?", 25.9, 48, 59, 39),
    ("my", "မင်္ဂလာပါ၊ နေကောင်းလား။", 17.4, 42, 46, 30),
    ("bo", "བཀྲ་ཤིས་བདེ་ལེགས།", 18.2, 43, 46, 31),
    ("am", "ሰላም፣ እንዴት ነህ?", 28.4, 50, 64, 43),
    ("zh", "你好，今天天气怎么样？", 28.0, 49, 63, 42),
    ("ja", "こんにちは、お元気ですか？", 26.8, 49, 61, 40),
    ("ko", "안녕하세요, 만나서 반갑습니다.", 33.9, 60, 77, 51),
    ("iu", "ᐊᐃ, ᖃᓄᐃᑉᐱᑦ?", 9.2, 34, 37, 24),
    ("yue", "𠮷野家喺邊度呀？", 21.5, 45, 49, 33),
    ("signs", "Hello 🌍! It is 12:30 on 3/4 🎉", 35.9, 63, 81, 54),
]


def digest(weights: Iterable[float]) -> str:
    return sha256(bytes(round(10 * weight) for weight in weights)).hexdigest()


def test_every_code_point_weighs_what_it_does_upstream():
    assert digest(map(range_weight, range(N_CODE_POINTS))) == OF_RANGES
    known = [character for character in map(chr, range(N_CODE_POINTS)) if unicodedata.ucd_3_2_0.category(character) != "Cn"]
    assert digest(map(spoken_weight, known)) == OF_CHARACTERS
    assert range_weight(0x10FFFF) == 3.0


@pytest.mark.parametrize("sentence", SENTENCES, ids=[row[0] for row in SENTENCES])
def test_sentences_of_all_scripts_get_the_official_number_of_frames(sentence):
    _, text, weight, unheard, frames, faster = sentence
    assert spoken_weight(text) == pytest.approx(weight, abs=1e-9)
    assert estimated_frames(text, None) == unheard
    assert estimated_frames(text, REFERENCE) == frames and estimated_frames(text, REFERENCE, 1.5) == faster


def test_a_short_text_is_given_more_than_its_share_and_none_is_given_nothing():
    by_length = [estimated_frames("a" * n, REFERENCE) for n in range(60)]
    assert by_length[0] == 1 and all(one <= other for one, other in pairwise(by_length))
    assert by_length[3] == int(50 * (3 * 75 / spoken_weight(REFERENCE[0]) / 50) ** (1 / 3)) == 25
    assert estimated_frames("a" * 3, REFERENCE, goes_on=True) == int(3 * 75 / spoken_weight(REFERENCE[0])) == 6
    assert estimated_frames("ـ", REFERENCE) == estimated_frames("", None) == 1


def test_the_recordings_pace_is_the_speechs():
    words, n_frames = REFERENCE
    assert estimated_frames(words, REFERENCE) == n_frames
    text = SENTENCES[0][1]
    assert estimated_frames(text, (words, 2 * n_frames)) == pytest.approx(2 * estimated_frames(text, REFERENCE), abs=1)
    assert estimated_frames(text, ("", 10)) == estimated_frames(text, None)


def test_words_that_cannot_have_been_said_in_that_time_are_seen():
    words, n_frames = REFERENCE
    assert weight_per_frame(words, n_frames) == spoken_weight(words) / n_frames
    assert LEAST_WEIGHT < weight_per_frame(words, n_frames) < MOST_WEIGHT
    assert weight_per_frame(words, 4 * n_frames) < LEAST_WEIGHT and weight_per_frame(10 * words, n_frames) > MOST_WEIGHT
    assert weight_per_frame(words, 0) == 0.0
