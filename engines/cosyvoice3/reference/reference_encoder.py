"""Reference encoder of CosyVoice3: turns a clip into what three networks read: speech tokens, their mel frames and a speaker vector.

What is measured, and how, is upstream's: cosyvoice/cli/frontend.py (_extract_speech_token, _extract_speech_feat, _extract_spk_embedding,
frontend_zero_shot) and the feat_extractor of cosyvoice3.yaml @ ace7c47. Loudness stays as it is.
"""

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from engines.clips.clip import Clip
from engines.cosyvoice3.reference.speech_tokenizer import SpeechTokenizer
from engines.kit.codec.mel import LogMel, whisper_log_mel
from engines.kit.codec.sinc_resampling import sinc_resample
from engines.kit.nn.ieee_float32 import ieee_float32
from engines.kit.speaker.campplus import CampPlus, kaldi_bank

__all__ = ["FLOW_MEL", "HeardRecording", "read_recording", "speech_tokens_of"]

HEARD_HZ = 16_000  # by the tokenizer and the speaker encoder
FLOW_MEL = LogMel(sample_rate=24_000, n_fft=1920, hop_samples=480, n_bands=80, highest_hz=12_000.0)  # cosyvoice3.yaml, feat_extractor
FRAMES_PER_TOKEN = 2  # of FLOW_MEL: 50 frames and 25 tokens a second
TOKEN_SAMPLES = HEARD_HZ // 25


@dataclass(frozen=True, eq=False)
class HeardRecording:
    """tokens: (N,) int16. mel: (2 N, 80) float32, natural log-mel of the same time. x_vector: (192,) float32, of no particular length."""

    tokens: np.ndarray
    mel: np.ndarray
    x_vector: np.ndarray


@torch.inference_mode()
def read_recording(clip: Clip, tokenizer: SpeechTokenizer, encoder: CampPlus, mel: LogMel = FLOW_MEL) -> HeardRecording:
    """Tokens and mel frames are cut to the time that both have. Deterministic, in float32 whatever is allowed elsewhere.

    clip: of 1 to 30 s, see `check_clip`; recordings that it was joined from are heard as one. mel: the flow's, two frames per token.
    """
    with ieee_float32():
        heard = _at(clip, HEARD_HZ)
        tokens = _tokens(heard, tokenizer)
        frames = mel(_at(clip, mel.sample_rate))[0]
        x_vector = encoder(kaldi_bank(heard, encoder.config.n_bands).to(_device(encoder))).cpu()
    n_tokens = min(len(tokens), len(frames) // FRAMES_PER_TOKEN)
    # copies: neither keeps what was cut off
    return HeardRecording(tokens[:n_tokens].copy(), frames[: FRAMES_PER_TOKEN * n_tokens].numpy().copy(), x_vector.numpy())


@torch.inference_mode()
def speech_tokens_of(clip: Clip, tokenizer: SpeechTokenizer) -> np.ndarray:
    """(N,) int16, 25 a second, what is left of a last one counted whole: all that is heard of speech that is to be said again.

    clip: of up to 30 s; one shorter than a token is filled up with silence.
    """
    with ieee_float32():
        return _tokens(_at(clip, HEARD_HZ), tokenizer)


def _at(clip: Clip, rate: int) -> Tensor:
    """(1, T) float32 on the CPU, as upstream's load_wav (cosyvoice/utils/file_utils.py) resamples."""
    return sinc_resample(clip.samples, clip.sample_rate, rate, exact_filter=True)[None]


def _tokens(samples: Tensor, tokenizer: SpeechTokenizer) -> np.ndarray:
    samples = F.pad(samples, (0, max(0, TOKEN_SAMPLES - samples.shape[1])))
    log_mel = whisper_log_mel(samples, tokenizer.config.n_mels)
    return tokenizer(log_mel.to(_device(tokenizer))).to(torch.int16).cpu().numpy()


def _device(network: torch.nn.Module) -> torch.device:
    return next(network.parameters()).device
