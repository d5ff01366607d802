"""prompt_ids: the text that OmniVoice reads before codes: how to speak, the words of the recording, and the words to be spoken.

What omnivoice 0.2.1 makes of them (_prepare_inference_inputs, _combine_text, _tokenize_with_nonverbal_tags), token by token.
"""

import re

from engines.errors import TextUnspeakable
from engines.kit.phonemes.arpabet import arpabet
from engines.kit.phonemes.ipa import PHONEME, PHONEME_MARKUP, PHONES_BEGIN, PHONES_END, with_phones
from engines.kit.tokenizers.vocabulary import ControlVocabulary

__all__ = ["MARKUP", "PHONE_LANGUAGES", "in_brackets", "in_one_line", "prompt_ids", "with_final_mark"]

# Sounds that the model makes where they stand; each is tokenized by itself, so that its ids are the same in any text.
TAGS = (
    *("[laughter]", "[sigh]", "[confirmation-en]", "[question-en]", "[question-ah]", "[question-oh]", "[question-ei]", "[question-yi]"),
    *("[surprise-ah]", "[surprise-oh]", "[surprise-wa]", "[surprise-yo]", "[dissatisfaction-hnn]"),
)
_TAG = re.compile("|".join(map(re.escape, TAGS)))
# Phonemes of the CMU Pronouncing Dictionary, vowels with their stress, in the place of a word: [B EY1 S].
_PHONEME = (
    "(?:(?:AA|AE|AH|AO|AW|AY|EH|ER|EY|IH|IY|OW|OY|UH|UW)[0-2]?"
    "|B|CH|D|DH|F|G|HH|JH|K|L|M|N|NG|P|R|S|SH|T|TH|V|W|Y|Z|ZH)"
)  # fmt: skip
PRONUNCIATION = rf"\[{_PHONEME}(?: {_PHONEME}){{0,39}}\]"
# What reaches the model as a mark (EngineInfo.markup). Other words in brackets are text like any other, brackets and all, as upstream; but
# for stage directions that studio/reading/markup knows ([whisper]), which it takes out and names.
MARKUP: tuple[str, ...] = (_TAG.pattern, PRONUNCIATION, *PHONEME_MARKUP)
PHONE_LANGUAGES = ("en",)  # whose sounds those phonemes are
_BRACKETS = str.maketrans({PHONES_BEGIN: "[", PHONES_END: "]"})

_LINE_ENDS, _BLANKS = re.compile(r"[\r\n]+"), re.compile(r"[ \t]+")
_IDEOGRAPH = "[\u4e00-\u9fff]"
_AT_IDEOGRAPH = re.compile(rf"(?<={_IDEOGRAPH})\s+|(?<!\s)\s+(?={_IDEOGRAPH})")  # a row of blanks is looked at once
# A line end, and whether it is beside a script whose words stand together: Thai, Lao, Burmese, Khmer, kana and ideographs, full width.
_SPACE, _LINE_END = re.compile(r"\s+"), re.compile(r"[\r\n\u2028\u2029]")
_WITHOUT_BLANKS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3000-\u9fff\uff00-\uff60]")
_FINAL_MARKS = frozenset(";:,.!?…)]}\"'“”‘’；：，。！？、）】")
_NOTHING_SAID = "None"  # stands for a language or a description that was not given


def prompt_ids(
    tokenizer: ControlVocabulary, text: str, reference_words: str | None, *, language: str | None, description: str | None, denoise: bool
) -> list[int]:
    """Ids of all that stands before the codes of the recording.

    reference_words: said in the recording, with their final mark; None for a voice without one, of which nothing can be denoised.
    language: an ID of languages.py. description: of voice_attributes.py. Raises TextUnspeakable as the tokenizer does.
    """
    special = tokenizer.special
    style = [special("denoise")] if denoise and reference_words is not None else []
    style += [special("lang_start"), *tokenizer.ids(language or _NOTHING_SAID), special("lang_end")]
    style += [special("instruct_start"), *tokenizer.ids(description or _NOTHING_SAID), special("instruct_end")]
    return [*style, special("text_start"), *_text_ids(tokenizer, combined(text, reference_words)), special("text_end")]


def combined(text: str, reference_words: str | None) -> str:
    """Both as one text in one line, without blanks beside ideographs."""
    both = f"{reference_words.strip()} {text.strip()}" if reference_words else text.strip()
    both = _LINE_ENDS.sub("", both).replace("（", "(").replace("）", ")")
    return _AT_IDEOGRAPH.sub("", _BLANKS.sub(" ", both))


def in_brackets(text: str, language: str | None) -> str:
    """The text with words of IPA as PRONUNCIATION. Raises TextUnspeakable for a sign that is none, and in other languages."""
    if PHONEME not in text:
        return text
    if language is not None and language not in PHONE_LANGUAGES:
        raise TextUnspeakable(sentence="phones_of_other_language", engine="OmniVoice")
    return with_phones(text, arpabet).translate(_BRACKETS)


def in_one_line(text: str) -> str:
    """The text with a blank for every line end, or nothing where its script has no blanks. Upstream takes all line ends out, and with that
    makes one word of the last of a line and the first of the next.
    """
    return _SPACE.sub(_between_lines, text.strip())


def with_final_mark(words: str) -> str:
    """The words in one line with a full stop behind them, where no mark ends them: of their script."""
    words = in_one_line(words)
    if not words or words[-1] in _FINAL_MARKS:
        return words
    return words + ("。" if re.search(_IDEOGRAPH, words) else ".")


def _text_ids(tokenizer: ControlVocabulary, text: str) -> list[int]:
    ids, at = [], 0
    for tag in _TAG.finditer(text):
        ids += tokenizer.ids(text[at : tag.start()]) + tokenizer.ids(tag.group())
        at = tag.end()
    return ids + tokenizer.ids(text[at:])


def _between_lines(space: re.Match) -> str:
    if _LINE_END.search(space.group()) is None:
        return space.group()
    beside = space.string[space.start() - 1], space.string[space.end()]
    return "" if any(map(_WITHOUT_BLANKS.match, beside)) else " "
