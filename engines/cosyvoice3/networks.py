"""CosyVoice3Networks: all networks of a Fun-CosyVoice3 checkpoint folder, loaded strictly onto one device."""

import hashlib
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn

from engines.cosyvoice3.config import CosyVoice3Config
from engines.cosyvoice3.flow.flow import Flow
from engines.cosyvoice3.reference.extraction_files import read_speaker_encoder, read_speech_tokenizer
from engines.cosyvoice3.reference.speech_tokenizer import SpeechTokenizer
from engines.cosyvoice3.speech_tokens.language_model import LanguageModel
from engines.cosyvoice3.text.tokenizer import CosyVoice3Tokenizer
from engines.cosyvoice3.vocoder.vocoder import HiftVocoder, name_in_file
from engines.errors import CheckpointInvalid
from engines.kit.adapters.peft_adapter import peft_checkpoint
from engines.kit.codec.weight_norm import FoldedCheckpoint
from engines.kit.device import exact_device
from engines.kit.nn.module_list import LoadedNetworks
from engines.kit.speaker.campplus import CampPlus
from engines.kit.tokenizers.vocabulary import ControlVocabulary
from engines.kit.weights.checkpoint import Checkpoint, without_memory

__all__ = ["CosyVoice3Networks", "load_networks", "read_networks"]

REPOSITORY = "FunAudioLLM/Fun-CosyVoice3-0.5B-2512"
FLOW_FILE, VOCODER_FILE, TOKENIZER_FILE, ENCODER_FILE = "flow.pt", "hift.pt", "speech_tokenizer_v3.onnx", "campplus.onnx"
TRANSFORMER = "llm.model."  # before the names of the Qwen2 that speaks
_HOMES = {"decoder.": "llm.model.model.", "embed_tokens.": "llm.model.model.embed_tokens."}  # our module's names -> the file's
_COPIES = ("llm.model.lm_head.weight",)  # of the table of text, which says words, and none are said
# Training leaves these beside the tensors (cosyvoice/utils/train_utils.py @ ace7c47); the release has none.
COUNTERS = ("epoch", "step")


@dataclass(frozen=True)
class CosyVoice3Networks(LoadedNetworks):
    """model computes in `dtype`, over a residual of float32; all others in float32. The vocoder is on the CPU where
    the device has no float64.

    extraction_digest: of the weights that learn a speaker: speech tokenizer and speaker encoder, by content.
    """

    config: CosyVoice3Config
    tokenizer: ControlVocabulary
    model: LanguageModel
    flow: Flow
    vocoder: HiftVocoder
    speech_tokenizer: SpeechTokenizer
    speaker_encoder: CampPlus
    device: torch.device

    @property
    def extraction_digest(self) -> str:
        both = f"{self.speech_tokenizer.weights_digest} {self.speaker_encoder.weights_digest}"
        return hashlib.sha256(both.encode()).hexdigest()

    @property
    def modules(self) -> Sequence[nn.Module]:
        return (self.model, self.flow, self.vocoder, self.speech_tokenizer, self.speaker_encoder)


def read_networks(folder: Path, device: torch.device, dtype: torch.dtype, language_model: str, lora: str = "") -> CosyVoice3Networks:
    """Load a checkpoint folder. language_model: its file. lora: a folder of adapters that are folded into it; "" for none.

    Raises CheckpointInvalid that names what is missing, unexpected or misshapen.
    """
    config, tokenizer = CosyVoice3Config.read(folder), CosyVoice3Tokenizer(folder)
    tokenizer.check_fits(config)
    learning = read_speech_tokenizer(folder / TOKENIZER_FILE, device), read_speaker_encoder(folder / ENCODER_FILE, device)
    if not (folder / language_model).is_file():
        hint = f"Fetch it from where the others are from (hf download {REPOSITORY} {language_model}), or choose another."
        raise CheckpointInvalid(f"There is no {language_model} among the weights, which language_model names.", hint)
    with ExitStack() as opened:
        files = (
            opened.enter_context(peft_checkpoint(folder / language_model, lora, home=TRANSFORMER, model="CosyVoice3", notes=COUNTERS)),
            opened.enter_context(Checkpoint(folder / FLOW_FILE, notes=COUNTERS)),
            opened.enter_context(FoldedCheckpoint(folder / VOCODER_FILE, strip=("generator.",), notes=COUNTERS)),
        )
        return load_networks(config, tokenizer, files, learning, dtype)


@torch.no_grad()
def load_networks(
    config: CosyVoice3Config,
    tokenizer: ControlVocabulary,
    files: Sequence[Checkpoint],
    learning: tuple[SpeechTokenizer, CampPlus],
    dtype: torch.dtype,
) -> CosyVoice3Networks:
    """The networks of this configuration, filled from the files of language model, flow and vocoder, beside those that learn a speaker,
    on whose device they are. Raises CheckpointInvalid.
    """
    device = next(learning[0].parameters()).device
    _check_sizes(config, *learning)
    of_model, of_flow, of_vocoder = files
    model = without_memory(lambda: LanguageModel(config.language), dtype)
    of_model.load_into(model, rename=_name_in_file, ignore=_COPIES, packs=model.decoder.packs, device=device)
    flow = without_memory(lambda: Flow(config.flow))
    of_flow.load_into(flow, ignore=Flow.UNREAD, packs=flow.packs, device=device)
    vocoder = without_memory(lambda: HiftVocoder(config.vocoder))
    of_vocoder.load_into(vocoder, rename=name_in_file, device=exact_device(device))  # pitch and phases are float64
    for file in files:
        file.check_all_used()
    for part in (model, flow, vocoder):
        part.prepare_weights()
    return CosyVoice3Networks(config, tokenizer, model, flow, vocoder, *learning, device)


def _check_sizes(config: CosyVoice3Config, tokenizer: SpeechTokenizer, encoder: CampPlus) -> None:
    """Raises CheckpointInvalid where files of different models lie together."""
    sizes = (
        (TOKENIZER_FILE, "tokens", tokenizer.config.n_tokens, config.flow.vocab_size),
        (ENCODER_FILE, "numbers of a speaker", encoder.config.embedding, config.flow.spk_embed_dim),
    )
    for file, what, has, wanted in sizes:
        if has != wanted:
            raise CheckpointInvalid(f"{file} has {has} {what}; cosyvoice3.yaml says {wanted}.", "Fetch the weights again.")


def _name_in_file(name: str) -> str:
    return next((home + name.removeprefix(ours) for ours, home in _HOMES.items() if name.startswith(ours)), name)
