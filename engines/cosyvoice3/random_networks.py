"""Networks of the released size with random weights, for measurements. See engines/kit/weights/random_weights.py."""

import torch

from engines.cosyvoice3.networks import CosyVoice3Networks, load_networks
from engines.cosyvoice3.reference.extraction_files import load_speaker_encoder, load_speech_tokenizer
from engines.cosyvoice3.reference.speaker_encoder import RELEASED_SPEAKER_ENCODER
from engines.cosyvoice3.reference.speech_tokenizer import RELEASED_SPEECH_TOKENIZER
from engines.cosyvoice3.released_config import released_config
from engines.kit.weights.drawn_vocabulary import DrawnVocabulary
from engines.kit.weights.random_weights import RandomWeights

__all__ = ["random_networks"]

N_WORDS = 151_643  # tokens of the released vocabulary below its special ones


def random_networks(size: str, device: torch.device, dtype: torch.dtype) -> CosyVoice3Networks:
    """All networks of that size ("0.5B"), as `read_networks` would make them of real weights."""
    weights = RandomWeights(torch.float32)
    learning = (
        load_speech_tokenizer(weights, RELEASED_SPEECH_TOKENIZER, device),
        load_speaker_encoder(weights, RELEASED_SPEAKER_ENCODER, device),
    )
    return load_networks(released_config(size), DrawnVocabulary(N_WORDS), [weights] * 3, learning, dtype)
