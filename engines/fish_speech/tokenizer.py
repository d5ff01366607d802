"""FishTokenizer: turns text into the token ids that the slow transformer reads, from tokenizer.json alone. It also knows the ids of control
tokens.
"""

import re
from pathlib import Path

from engines.errors import CheckpointInvalid
from engines.fish_speech.config import FishConfig
from engines.kit.tokenizers.byte_pair_tokenizer import BytePairTokenizer

__all__ = ["FishTokenizer"]

FILE = "tokenizer.json"
# As vllm-omni 0.30.0 (prompt_utils.py): tokens of phonemes are obeyed, tags of speakers are plain text, and one older spelling is theirs.
PHONEMES = ("<|phoneme_start|>", "<|phoneme_end|>")
OLD_SPEAKER, SPEAKER = re.compile(r"<speaker:([0-9]+)>"), re.compile(r"<\|speaker:[0-9]+\|>")


class FishTokenizer:
    """Ids of texts, without any around them.

    The file says itself how text is cut (by Qwen2's expression, in NFC). No control token that a text spells out is obeyed, but for those
    that hold phonemes: one in <|...|> is refused, and what looks otherwise (<think>, of the language model that this one grew from) is read
    letter by letter.
    """

    def __init__(self, folder: Path):
        """Raises CheckpointInvalid where the folder has no tokenizer.json, or one that cannot be used."""
        self._tokenizer = BytePairTokenizer.from_file(folder / FILE)
        self._allowed = {token for token in self._tokenizer.control_tokens if token in PHONEMES or SPEAKER.fullmatch(token)}
        for token in PHONEMES:
            self._tokenizer.id_of(token)

    def ids(self, text: str) -> list[int]:
        """Ids of the text as it stands; <speaker:0> is read as <|speaker:0|>. Raises TextUnspeakable for a control token."""
        text = OLD_SPEAKER.sub(r"<|speaker:\1|>", text)
        self._tokenizer.refuse_control(text, self._allowed)
        return self._tokenizer.encode(text, PHONEMES)

    def special(self, name: str) -> int:
        """The id of a control token: "im_end" is <|im_end|>. Raises CheckpointInvalid where the file has none of the name."""
        return self._tokenizer.id_of(f"<|{name}|>")

    def check_fits(self, config: FishConfig) -> None:
        """Raises CheckpointInvalid where the file has control tokens at other ids than the configuration says, or ids without a row: two
        models' files.
        """
        self._tokenizer.check_rows(config.text_config.vocab_size, FILE)
        said = {
            "semantic:0": config.semantic_start_token_id,
            f"semantic:{config.n_semantic_codes - 1}": config.semantic_end_token_id,
            "audio_pad": config.audio_pad_token_id,
            "im_end": config.eos_token_id,
            "pad": config.pad_token_id,
        }
        faults = [
            f"<|{name}|> is {self.special(name)}, {token} in config.json" for name, token in said.items() if self.special(name) != token
        ]
        if faults:
            raise CheckpointInvalid(f"{FILE} of the checkpoint is another model's: {', '.join(faults)}.", "Fetch the weights again.")
