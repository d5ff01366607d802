"""Guesses the language of a text whose language nobody says: by its script, and for Latin letters by its small words."""

import re
import unicodedata
from collections import Counter
from operator import itemgetter

__all__ = ["guess_language", "is_small_word", "likeliest_language"]

_GUESSED_CHARACTERS = 500  # a long text starts as fast as a short one
_UKRAINIAN = set("іїєґІЇЄҐ")
# first word of a letter's Unicode name -> language
_BY_SCRIPT = {
    "ARABIC": "ar",
    "ARMENIAN": "hy",
    "BENGALI": "bn",
    "CHEROKEE": "chr",
    "CJK": "zh",
    "CYRILLIC": "ru",
    "DEVANAGARI": "hi",
    "ETHIOPIC": "am",
    "GEORGIAN": "ka",
    "GREEK": "el",
    "GUJARATI": "gu",
    "GURMUKHI": "pa",
    "HANGUL": "ko",
    "HEBREW": "he",
    "HIRAGANA": "ja",
    "KANNADA": "kn",
    "KATAKANA": "ja",
    "MALAYALAM": "ml",
    "MYANMAR": "my",
    "ORIYA": "or",
    "SINHALA": "si",
    "TAMIL": "ta",
    "TELUGU": "te",
    "THAI": "th",
}
# The commonest function words of languages in Latin letters. A word of several languages counts for each by its share.
_SMALL_WORDS = {
    "en": "the and of to in is that it for was on are with as his they be at one have this from or had by but what some we can you my he",
    "de": "der die das und ist nicht ein eine einen ich zu den dem mit auf für von sich wie war sie wir es im auch noch wird bei nach hat",
    "es": "el la los las que y en es una un por con para del se lo no su como pero más ha está muy sus donde cuando hay fue son de mi tu",
    "fr": "le la les des et est une un que dans pour pas il elle je vous nous du au ce qui sur avec son sa ne se mais être cette sont de",
    "it": "il lo la gli che di e un una per non sono con del della è si nel anche come ma più alla questo dal sul suo fu era mi ci mia tuo",
    "pt": "o a os as que e um uma não com para do da em por se mais como mas ao foi são está muito seu sua pelo nos você ele de meu minha",
    "nl": "de het een en van ik niet dat is op te zijn voor met die aan er maar om hij ook naar bij wij deze wordt werd heeft mijn",
    "sv": "och att det är en ett som på för med av jag inte den till var han hon vi från men så om hade ska efter också",
    "pl": "i w nie na się z do to że jest jak co za ale po od przez przy tak był była są czy dla już tylko",
    "tr": "bir ve bu da de için ile çok ne var gibi daha o ben sen biz ama olarak sonra kadar değil mi her en",
    "vi": "và là của có không được một những các cho người này với trong để tôi đã khi ở về như đó thì cũng anh chị em ông bà rất",
}
# Two marks on one letter, a hook, a horn: of Vietnamese alone, but for a dot below and a tilde, as in Yoruba, Igbo and Guarani.
_VIETNAMESE = frozenset("ơư" + "".join(map(chr, range(0x1EA0, 0x1EFA)))) - set("ẹọịụẽỹ")
_VIETNAMESE_WORD = 3 / 4  # of a small word: a dish on an English menu is none
# Of other languages' small words, those that English has as well.
_ENGLISH_TOO = frozenset(
    """a am an as at but car come con den die do era fin hat i in is man me men met no on per pour sin so son ten to van war was""".split()  # noqa: SIM905
)
_LEAST_LEAD = 1.5  # words by which another language must lead English before it is believed


def _weights() -> dict[str, dict[str, float]]:
    listed = {language: words.split() for language, words in _SMALL_WORDS.items()}
    shared = Counter(word for words in listed.values() for word in words)
    weights: dict[str, dict[str, float]] = {}
    for language, words in listed.items():
        for word in words:
            weights.setdefault(word, {})[language] = 1 / shared[word]
    return weights


_WEIGHTS = _weights()


def is_small_word(word: str, language: str) -> bool:
    """Whether it is one of the language's commonest function words. word: in small letters. language: a base code."""
    return language in _WEIGHTS.get(word, {})


def guess_language(text: str) -> str:
    """A code; English where nothing tells otherwise."""
    text = unicodedata.normalize("NFC", text[:_GUESSED_CHARACTERS])
    scripts = Counter(unicodedata.name(letter, "").split(" ")[0].split("-")[0] for letter in text if letter.isalpha())
    languages = Counter()
    for script, count in scripts.items():
        languages[_BY_SCRIPT.get(script, "latin")] += count
    if languages["ja"]:  # kana stand in every Japanese sentence and in no Chinese one
        return "ja"
    code = languages.most_common(1)[0][0] if languages else "latin"
    if code == "latin":
        return _guess_latin(text)
    return "uk" if code == "ru" and _UKRAINIAN & set(text) else code


def likeliest_language(text: str) -> str:
    """As guess_language, but one word of another language is believed where none is English: for readings that English would spoil."""
    guess = guess_language(text)
    if guess != "en":
        return guess
    words = re.findall(r"[^\W\d_]+", unicodedata.normalize("NFC", text[:_GUESSED_CHARACTERS]).lower())
    scores = _scores(" ".join(word for word in words if word not in _ENGLISH_TOO or is_small_word(word, "en")))
    best, score = max(scores.items(), key=itemgetter(1), default=("en", 0.0))
    return best if not scores.get("en") and score >= 1 else guess


def _guess_latin(text: str) -> str:
    scores = _scores(text)
    if not scores:
        return "en"
    best, score = max(scores.items(), key=itemgetter(1))
    return best if score >= scores.get("en", 0) + _LEAST_LEAD else "en"


def _scores(text: str) -> dict[str, float]:
    """Small words of each language, in Latin letters."""
    scores: dict[str, float] = {}
    for word in re.findall(r"[^\W\d_]+", text.lower()):
        for language, weight in _WEIGHTS.get(word, {}).items():
            scores[language] = scores.get(language, 0) + weight
        if _VIETNAMESE & set(word):
            scores["vi"] = scores.get("vi", 0) + _VIETNAMESE_WORD
    return scores
