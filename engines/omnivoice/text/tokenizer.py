"""OmniVoiceTokenizer: turns text into the token ids that the transformer reads, from tokenizer.json alone. It also knows the ids of control
tokens.
"""

from pathlib import Path

from engines.kit.tokenizers.byte_pair_tokenizer import BytePairTokenizer
from engines.omnivoice.config import OmniVoiceConfig

__all__ = ["CONTROL", "OmniVoiceTokenizer"]

FILE = "tokenizer.json"
# What stands between them, or behind them, is how to speak and what to say (omnivoice 0.2.1, OmniVoice._prepare_inference_inputs).
CONTROL = ("denoise", "lang_start", "lang_end", "instruct_start", "instruct_end", "text_start", "text_end")


class OmniVoiceTokenizer:
    """Ids of texts, without any around them.

    The file says itself how text is cut (by Qwen2's expression, in NFC). No control token that a text spells out is obeyed: one in <|...|>
    is refused, and what looks otherwise (<think>, of the language model that this one grew from) is read letter by letter.
    """

    def __init__(self, folder: Path):
        """Raises CheckpointInvalid where the folder has no tokenizer.json, or one that cannot be used."""
        self._tokenizer = BytePairTokenizer.from_file(folder / FILE)
        for name in CONTROL:
            self.special(name)

    def ids(self, text: str) -> list[int]:
        """Ids of the text as it stands. Raises TextUnspeakable for a control token."""
        self._tokenizer.refuse_control(text)
        return self._tokenizer.encode(text)

    def special(self, name: str) -> int:
        """The id of a control token: "text_end" is <|text_end|>. Raises CheckpointInvalid where the file has none of the name."""
        return self._tokenizer.id_of(f"<|{name}|>")

    def check_fits(self, config: OmniVoiceConfig) -> None:
        """Raises CheckpointInvalid where the file has ids that the transformer's table has no row for: two models' files."""
        self._tokenizer.check_rows(config.llm_config.vocab_size, FILE)
