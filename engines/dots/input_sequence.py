"""What the language model reads before it speaks: a text between two lines of Chinese, and the words of a recording before the text.

DotsVocabulary: ids of texts. The sequence is that of build_generation_schedule of dots.tts 0.3.1 with its template "tts":

    [文本] words of the recording, text [文本对应语音] <|audio_gen_start|>, then patches
"""

from dataclasses import dataclass
from pathlib import Path

from engines.dots.options import TAGS
from engines.kit.tokenizers.byte_pair_tokenizer import BytePairTokenizer
from engines.kit.weights.drawn_vocabulary import DrawnVocabulary

__all__ = ["DotsVocabulary", "read_vocabulary", "said_text"]

BEFORE, BEHIND, START = "[文本]", "[文本对应语音]", "<|audio_gen_start|>"
ALONG, TEXT_ENDS, AUDIO_ENDS = "[流式语音合成]", "<|text_cond_end|>", "<|audio_gen_end|>"  # of text that is read token by token


@dataclass(frozen=True)
class DotsVocabulary:
    """tokenizer: Qwen2.5's byte pairs, with the marks of audio behind them."""

    tokenizer: BytePairTokenizer | DrawnVocabulary

    def ids(self, text: str) -> list[int]:
        """Of the whole sequence before the first patch. text: as `said_text` makes it. Its parts are cut into tokens each by itself.

        Raises TextUnspeakable for a control token that the text spells out: others would take it for one.
        """
        self.tokenizer.refuse_control(text)
        return [*(token for part in (BEFORE, text, BEHIND) for token in self.tokenizer.encode(part)), self.tokenizer.id_of(START)]

    def piece(self, text: str) -> list[int]:
        """Of a part of a text that is read token by token. Raises TextUnspeakable as `ids`."""
        self.tokenizer.refuse_control(text)
        return self.tokenizer.encode(text)

    @property
    def along_prefix(self) -> list[int]:
        """What stands before a text that is read token by token."""
        return self.tokenizer.encode(ALONG)

    @property
    def end_id(self) -> int:
        """The mark behind such a text."""
        return self.tokenizer.id_of(TEXT_ENDS)

    @property
    def gen_end_id(self) -> int:
        """The mark behind the patches of a recording, before such a text."""
        return self.tokenizer.id_of(AUDIO_ENDS)


def read_vocabulary(folder: Path) -> DotsVocabulary:
    """Of a checkpoint folder. Raises CheckpointInvalid."""
    tokenizer = BytePairTokenizer.from_file(folder / "tokenizer.json")
    tokenizer.id_of(START)
    return DotsVocabulary(tokenizer)


def said_text(text: str, words: str | None, language: str | None) -> str:
    """The text as the model reads it. words: of the recording that it goes on from, None where from nothing.

    language: a code of TAGS, None to leave it to the model. Its tag stands before all, and so before the words of the recording alone.
    """
    said = f"{words.strip()}\n{text.strip()}" if words and words.strip() else text.strip()
    tag = f"[{TAGS[language]}]" if language else ""
    return said if said.startswith(tag) else f"{tag}{said}"
