"""Rules for the OmniVoice configuration keys that no dataclass reads: implemented values, and keys without effect, with reasons."""

from engines.kit.nn.decoder_sizes import PLAIN_DECODER
from engines.kit.weights.config_reading import TRANSFORMERS, Rules

__all__ = ["LLM", "MODEL"]

MODEL = TRANSFORMERS | Rules(inert={"checked before": "model_type", "of training": "audio_codebook_weights"})
LLM = PLAIN_DECODER | Rules(
    # Whether the table of text gives logits too changes nothing: nobody asks for logits of text, and the file has no matrix for them.
    only={"model_type": ("qwen3",), "tie_word_embeddings": (True, False)},
)
