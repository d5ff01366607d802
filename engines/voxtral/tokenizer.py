"""VoxtralTokenizer: turns text into the token ids that the backbone reads, from tekken.json alone. It also knows the ids of control tokens.
No torch here.
"""

import binascii
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NoReturn

import tiktoken

from engines.errors import CheckpointInvalid
from engines.kit.weights.config_reading import Section, settings_of
from engines.kit.weights.schema import Size, schema, without_effect
from engines.voxtral.config import AGAIN, VoxtralConfig

__all__ = ["FILE", "VoxtralTokenizer"]

FILE = "tekken.json"
N_BYTES = 256  # entries that every vocabulary begins with, in the order of their values: any text has ids
# mistral_common 1.13.1, SpecialTokens: what the file calls the control tokens of a prompt. The names say what another model, one that goes
# on with text behind audio, learned them for; here text stands between the two.
BOS, BEGIN_AUDIO, AUDIO, TEXT_TO_AUDIO, AUDIO_TO_TEXT = "<s>", "[BEGIN_AUDIO]", "[AUDIO]", "[NEXT_AUDIO_TEXT]", "[REPEAT_AUDIO_TEXT]"


@schema
class _TekkenConfig:
    """`config`: pattern cuts words, in tiktoken's dialect; ids of control tokens come before those of the vocabulary."""

    pattern: str
    default_vocab_size: Size
    default_num_special_tokens: Size

    num_vocab_tokens = without_effect("entries of the list, used or not")
    version = without_effect("a note")


class VoxtralTokenizer:
    """Ids of texts, without any around them, as mistral_common 1.13.1 (tekken.py) has them.

    The file lists more entries than are used: as many as default_vocab_size leaves beside the control tokens; the id of one is its rank
    and the number of these. Text is taken as it is, in no normal form, and no control token that it spells out is obeyed: [INST] is five
    letters and two brackets.
    """

    def __init__(self, folder: Path):
        """Raises CheckpointInvalid where the folder has no tekken.json, or one that cannot be used."""
        main = Section.read(folder, FILE)
        config = settings_of(_TekkenConfig, main.section("config"))
        self._n_control, self.n_words = config.default_num_special_tokens, config.default_vocab_size
        ranks = _ranks(_entries(main, "vocab"), self.n_words - self._n_control)
        try:
            self._encoding = tiktoken.Encoding(FILE, pat_str=config.pattern, mergeable_ranks=ranks, special_tokens={})
        except ValueError as error:
            raise CheckpointInvalid(f"{FILE} of the checkpoint: its pattern cuts no text: {error}.", AGAIN) from error
        self._control = _control_tokens(_entries(main, "special_tokens"), self._n_control)
        for name in (BOS, BEGIN_AUDIO, AUDIO, TEXT_TO_AUDIO, AUDIO_TO_TEXT):
            self.special(name)
        self.n_voice_rows = _n_voice_rows(main)

    def ids(self, text: str) -> list[int]:
        """Ids of the text as it stands."""
        return [rank + self._n_control for rank in self._encoding.encode_ordinary(text)]

    def special(self, name: str) -> int:
        """The id of a control token. Raises CheckpointInvalid where the file has none of the name."""
        if name not in self._control:
            raise CheckpointInvalid(f"{FILE} of the checkpoint has no control token {name}.", "Use mistralai/Voxtral-4B-TTS-2603.")
        return self._control[name]

    @property
    def bos(self) -> int:
        """What every prompt begins with: 1."""
        return self._control[BOS]

    @property
    def begin_audio(self) -> int:
        """Before audio, that of the prompt and that which is spoken: 25."""
        return self._control[BEGIN_AUDIO]

    @property
    def audio(self) -> int:
        """In place of a frame of audio: 24."""
        return self._control[AUDIO]

    @property
    def text_to_audio(self) -> int:
        """Before the text, behind the prompt's audio: 36."""
        return self._control[TEXT_TO_AUDIO]

    @property
    def audio_to_text(self) -> int:
        """Behind the text, before the audio that is spoken: 35."""
        return self._control[AUDIO_TO_TEXT]

    def check_fits(self, config: VoxtralConfig) -> None:
        """Raises CheckpointInvalid where params.json has another number of tokens, or control tokens at other ids: two models' files."""
        said = {
            "the vocabulary's size": (self.n_words, config.vocab_size),
            BOS: (self.bos, config.multimodal.bos_token_id),
            AUDIO: (self.audio, config.audio_model.audio_token_id),
            BEGIN_AUDIO: (self.begin_audio, config.audio_model.begin_audio_token_id),
        }
        faults = [f"{name} is {ours}, {theirs} in params.json" for name, (ours, theirs) in said.items() if ours != theirs]
        if faults:
            raise CheckpointInvalid(f"{FILE} of the checkpoint is another model's: {', '.join(faults)}.", AGAIN)


def _entries(main: Section, key: str) -> Sequence[Mapping]:
    if not isinstance(main.values.get(key), list):
        main.refuse(key, "a list is expected")
    return main.values[key]


def _ranks(vocabulary: Sequence[Mapping], n_used: int) -> dict[bytes, int]:
    """Token, as bytes -> its rank, of the first n_used."""
    if not N_BYTES <= n_used <= len(vocabulary):
        what = f"{len(vocabulary)} entries, of which {n_used} are used; any text needs the first {N_BYTES}"
        raise CheckpointInvalid(f"{FILE} of the checkpoint: the vocabulary has {what}.", AGAIN)
    ranks = {}
    for rank, entry in enumerate(vocabulary[:n_used]):
        try:
            token, said = binascii.a2b_base64(entry["token_bytes"], strict_mode=True), entry["rank"]
        except (KeyError, TypeError, ValueError) as error:
            _refuse_entry(rank, f"cannot be read: {error!r}")
        if said != rank:
            _refuse_entry(rank, f"has rank {said!r}; ranks are counted from 0")
        if rank < N_BYTES and token != bytes([rank]):
            _refuse_entry(rank, f"is {token!r}; the first {N_BYTES} are the single bytes")
        if not token or token in ranks:
            _refuse_entry(rank, f"is {token!r}, which stands there before" if token else "is empty")
        ranks[token] = rank
    return ranks


def _refuse_entry(rank: int, fault: str) -> NoReturn:
    raise CheckpointInvalid(f"{FILE} of the checkpoint: entry {rank} of the vocabulary {fault}.", AGAIN)


def _control_tokens(entries: Sequence[Mapping], n_control: int) -> dict[str, int]:
    """Name -> id. Ids that the file names no token for stay without a name."""
    control = {}
    for entry in entries:
        name, rank = (entry.get(key) if isinstance(entry, Mapping) else None for key in ("token_str", "rank"))
        if not isinstance(name, str) or not isinstance(rank, int) or not 0 <= rank < n_control or name in control:
            what = f"of special_tokens, {entry!r} names no token of its own below {n_control}"
            raise CheckpointInvalid(f"{FILE} of the checkpoint: {what}.", AGAIN)
        control[name] = rank
    if len(set(control.values())) < len(control):
        raise CheckpointInvalid(f"{FILE} of the checkpoint: two of special_tokens have one rank.", AGAIN)
    return control


def _n_voice_rows(main: Section) -> Mapping[str, int]:
    """Name of a built-in voice -> rows of its file; {} where the file says nothing of any."""
    if main.values.get("audio") is None:
        return MappingProxyType({})
    audio = main.section("audio")
    rows = audio.values.get("voice_num_audio_tokens") or {}
    if not isinstance(rows, Mapping) or not all(type(n) is int and n > 0 for n in rows.values()):
        audio.refuse("voice_num_audio_tokens", "an object of whole numbers above zero is expected")
    return MappingProxyType(dict(rows))
