"""tagged_instruction: changes in the language of tags that dots.tts.edit reads. edit_ids: the sequence of its tokens.

The sequence is that of build_edit_generation_schedule of dots.tts 0.3.1, whose parts are cut into tokens each by itself:

    [原文本] words [原语音] <|audio_gen_start|> patches of the recording <|audio_gen_end|>
    [编辑指令] instruction [编辑文本] words after it [编辑后语音] <|audio_gen_start|>, then patches
"""

from collections.abc import Iterable
from html import escape

from engines.contract.editing import EditOperation, RecordingEdit, edited_words
from engines.contract.options import float_option, int_option, text_option
from engines.dots.editing import edit_kinds as kinds
from engines.dots.input_sequence import START, DotsVocabulary, said_text
from engines.errors import EditInvalid

__all__ = ["edit_ids", "follows_speaker", "tagged_instruction", "words_after"]

SOURCE_WORDS, SOURCE_SOUND = "[原文本]", "[原语音]"
INSTRUCTION, TARGET_WORDS, TARGET_SOUND = "[编辑指令]", "[编辑文本]", "[编辑后语音]"
ACTS = {"insert": "ins", "shorten": "red"}
AROUND = {kinds.DENOISE: "enhance", kinds.BACKGROUND: "bg"}
WITHOUT_SPEAKER = frozenset({kinds.EMOTION, *AROUND})


def tagged_instruction(change: RecordingEdit) -> str:
    """The words with the makers' tags in them; what is of the words is escaped. Raises EditInvalid for values that change nothing."""
    parts, at = [], 0
    inside = [one for one in change.operations if one.kind not in AROUND]
    for one in inside:
        parts += [escape(change.words[at : one.start]), _tagged(one, escape(change.words[one.start : one.end]))]
        at = one.end
    parts.append(escape(change.words[at:]))
    text = "".join(parts).strip()
    for tag in dict.fromkeys(AROUND[one.kind] for one in change.operations if one.kind in AROUND):
        text = f"<{tag}>{text}</{tag}>"
    return text


def _tagged(one: EditOperation, words: str) -> str:
    """words: escaped."""
    text, values = escape(one.text), one.values
    if one.kind == kinds.EMOTION:
        return f"<emo {_emotion(one)}>{words}</emo>"
    if one.kind == kinds.PACE:
        factor = round(float_option(values, "factor"), 2)
        if factor == 1:
            raise _idle(one)
        return f"<rate, factor={factor:g}>{words}</rate>"  # a comma and no quotes, as the makers' page and benchmark write it
    if one.kind == kinds.PITCH:
        return f"<pitch, semitones={text_option(values, 'semitones')}>{words}</pitch>"
    if one.kind == kinds.PAUSE:
        return f'<pause act="{ACTS[text_option(values, "act")]}" level="{int_option(values, "level")}"/>'
    plain = {kinds.REPLACE: f'<sub targ="{text}">{words}</sub>', kinds.REMOVE: f"<del>{words}</del>", kinds.INSERT: f"<ins>{text}</ins>"}
    return plain[one.kind]


def _emotion(one: EditOperation) -> str:
    kind, description = text_option(one.values, "type"), text_option(one.values, "description")
    if kind and description:
        raise EditInvalid(sentence="edit_values_two", kind=one.kind, names=("type", "description"))
    if not kind and not description:
        raise _idle(one)
    return f'desc="{escape(description)}"' if description else f'type="{kind}" level="{int_option(one.values, "level")}"'


def _idle(one: EditOperation) -> EditInvalid:
    return EditInvalid(sentence="edit_values_idle", kind=one.kind)


def words_after(change: RecordingEdit) -> str:
    """What is said when all is changed. Raises EditInvalid where nothing is."""
    words = edited_words(change, kinds.EDIT_KINDS).text
    if not any(map(str.isalnum, words)):
        raise EditInvalid(sentence="edit_nothing_left")
    return words


def follows_speaker(change: RecordingEdit) -> bool:
    """Whether the model is told who speaks: not where all changes are of emotion or of the whole sound (resolve_edit_use_xvector)."""
    return any(one.kind not in WITHOUT_SPEAKER for one in change.operations)


def edit_ids(change: RecordingEdit, language: str | None, vocabulary: DotsVocabulary) -> tuple[list[int], list[int]]:
    """What stands before the patches of the recording, and between them and those that are made.

    language: that tags the words, as of a text. Raises EditInvalid, and TextUnspeakable for a control token that words spell out.
    """
    before, after = said_text(change.words, None, language), said_text(words_after(change), None, language)
    first = _ids((SOURCE_WORDS, before, SOURCE_SOUND), vocabulary)
    between = _ids((INSTRUCTION, tagged_instruction(change), TARGET_WORDS, after, TARGET_SOUND), vocabulary)
    start = vocabulary.tokenizer.id_of(START)
    return [*first, start], [vocabulary.gen_end_id, *between, start]


def _ids(parts: Iterable[str], vocabulary: DotsVocabulary) -> list[int]:
    return [token for part in parts for token in vocabulary.piece(part)]
