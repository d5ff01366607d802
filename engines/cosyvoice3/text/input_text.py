"""input_text: the text that the language model reads before it speaks, and whether it continues the recording.

Three manners (cosyvoice's cli/cosyvoice.py, cli/frontend.py, utils/common.py, instruct_list, and example.py @ ace7c47); in each the flow
hears the recording:

    in context     You are a helpful assistant.<|endofprompt|> | words of the recording | text      then the recording's tokens
    cross-lingual  You are a helpful assistant.<|endofprompt|> | text
    instructed     You are a helpful assistant. Instructions.<|endofprompt|> | text

Parts are tokenized apart, as the official code does it: byte pairs never cross from one to the next.
"""

from dataclasses import dataclass

from engines.errors import OptionInvalid, TextUnspeakable, TranscriptRequired
from engines.kit.tokenizers.vocabulary import ControlVocabulary

__all__ = ["AUTO", "CROSS_LINGUAL", "IN_CONTEXT", "MODES", "InputText", "goes_on", "input_text"]

AUTO, IN_CONTEXT, CROSS_LINGUAL = "auto", "in_context", "cross_lingual"
MODES = (AUTO, IN_CONTEXT, CROSS_LINGUAL)  # choices of the option `mode`

ASSISTANT = "You are a helpful assistant."
END_OF_PROMPT = "endofprompt"
FINAL = frozenset(".?!。？！…；;")


@dataclass(frozen=True)
class InputText:
    """voice_ids: of what every text in this voice and manner begins with. text_ids: of the text. reads_speech: the recording's tokens
    follow, as the beginning of what is spoken.
    """

    voice_ids: tuple[int, ...]
    text_ids: tuple[int, ...]
    reads_speech: bool

    @property
    def ids(self) -> tuple[int, ...]:
        return self.voice_ids + self.text_ids


def goes_on(mode: str, instructions: str, words: str | None) -> bool:
    """Whether the recording is read as what was spoken before. words: said in it, None or blank where they are not known.

    AUTO: where its words are known and nothing is asked of the delivery, for instructions are obeyed best where no recording is heard
    before. Raises TranscriptRequired for IN_CONTEXT without words.
    """
    knows_words = words is not None and bool(words.strip())
    if mode == IN_CONTEXT and not knows_words:
        hint = f"Add the words of the recording to the voice, or use the mode {CROSS_LINGUAL}."
        raise TranscriptRequired(sentence="transcript_for_mode", hint=hint)
    return knows_words and (mode == IN_CONTEXT or (mode == AUTO and not instructions.strip()))


def input_text(tokenizer: ControlVocabulary, text: str, *, mode: str, instructions: str = "", words: str | None = None) -> InputText:
    """Ids of one piece of a text. Instructions go without a recording before the text, but where mode is IN_CONTEXT.

    Raises TranscriptRequired as goes_on, OptionInvalid for instructions that spell a control token, TextUnspeakable for such a text.
    """
    in_context = goes_on(mode, instructions, words)
    opening = [*_opening_ids(tokenizer, instructions), tokenizer.special(END_OF_PROMPT)]
    spoken = tokenizer.ids(_one_line(words)) if in_context and words is not None else []
    return InputText((*opening, *spoken), tuple(tokenizer.ids(text)), in_context)


def _opening_ids(tokenizer: ControlVocabulary, instructions: str) -> list[int]:
    asked = _one_line(instructions)
    if asked and asked[-1] not in FINAL:
        asked += "." if asked[-1].isascii() else "。"
    try:
        return tokenizer.ids(f"{ASSISTANT} {asked}" if asked else ASSISTANT)
    except TextUnspeakable as error:
        token = str(error.values["token"])
        hint = "Take it out of the instructions."
        raise OptionInvalid("instructions", sentence="text_with_control_token", hint=hint, token=token) from error


def _one_line(text: str) -> str:
    return " ".join(text.split())
