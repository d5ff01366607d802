"""Networks: all networks of a Qwen3-TTS checkpoint folder, loaded strictly onto one device."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import torch

from engines.kit.codec.ecapa_tdnn import EcapaTdnn
from engines.kit.codec.mimi_encoder import MimiEncoder
from engines.kit.nn.module_list import module_bytes
from engines.kit.weights.checkpoint import Checkpoint, without_memory
from engines.qwen3_tts.codec_decoder import CodecDecoder
from engines.qwen3_tts.config import SPEAKER_ENCODER, Qwen3Config
from engines.qwen3_tts.input_sequence import QwenInputSequence
from engines.qwen3_tts.talker import CodePredictor, Talker
from engines.qwen3_tts.tokenizer import TextTokenizer, TurnVocabulary

__all__ = ["Learners", "Networks", "load_networks", "read_networks"]

TEXT_TABLE, SPEAKER_TABLE = "talker.model.text_embedding.weight", "talker.model.codec_embedding.weight"


class Learners(NamedTuple):
    """What a voice is learned with: how it sounds, and what is said in the recording as codes."""

    speaker_encoder: EcapaTdnn
    mimi: MimiEncoder


@dataclass(frozen=True)
class Networks:
    """talker and predictor compute in `dtype`; the encoders and the codec always in float32, since codes and waveforms suffer below it.

    learners: None for a checkpoint without a speaker encoder, as CustomVoice and VoiceDesign come, and fine-tunes of one speaker.
    extraction_digest: of the weights that speakers come from, by content: the encoders that learn them, and the table that has them.
    """

    config: Qwen3Config
    tokenizer: TurnVocabulary
    talker: Talker
    predictor: CodePredictor
    rows: QwenInputSequence
    learners: Learners | None
    codec: CodecDecoder
    dtype: torch.dtype
    device: torch.device
    extraction_digest: str

    @property
    def bytes(self) -> int:
        """Memory that the weights hold on the device."""
        return module_bytes((self.talker, self.predictor, *(self.learners or ()), self.codec))


def read_networks(folder: Path, device: torch.device, dtype: torch.dtype) -> Networks:
    """Load a checkpoint folder. Raises CheckpointInvalid that names what is missing, unexpected or misshapen."""
    config, tokenizer = Qwen3Config.read(folder), TextTokenizer(folder)
    tokenizer.check_fits(config)
    with Checkpoint(folder) as main, Checkpoint(folder / "speech_tokenizer") as codec_file:
        return load_networks(config, tokenizer, (main, codec_file), device, dtype)


@torch.no_grad()
def load_networks(
    config: Qwen3Config, tokenizer: TurnVocabulary, files: tuple[Checkpoint, Checkpoint], device: torch.device, dtype: torch.dtype
) -> Networks:
    """The networks of that configuration, filled from the main file and the codec's. Raises CheckpointInvalid."""
    main, codec_file = files
    talker = without_memory(lambda: Talker(config.talker), dtype)
    talker.text_embedding.to(main.weight_dtype(TEXT_TABLE))  # a third of the weights of 0.6B, and read one row at a time
    talker.load(main, device)
    predictor = without_memory(lambda: CodePredictor(config.predictor, config.talker), dtype)
    predictor.load(main, device)
    learns = config.learns(main.names)
    learners = _learners(config, main, codec_file, device) if learns else None
    codec = without_memory(lambda: CodecDecoder(config.codec.decoder_config))
    codec_file.load_into(codec, "decoder.", ignore=codec.UNUSED, packs=codec.packs, device=device)
    main.check_all_used()
    if learns:
        codec_file.check_all_used()
    digest = _extraction_digest(config, main, codec_file, learns=learns)
    codec.prepare_weights()
    rows = QwenInputSequence(config, talker, predictor, tokenizer.header(config.im_start_token_id))
    return Networks(config, tokenizer, talker, predictor, rows, learners, codec, dtype, device, digest)


def _learners(config: Qwen3Config, main: Checkpoint, codec_file: Checkpoint, device: torch.device) -> Learners:
    config.check_speaker_encoder()
    speaker_encoder = without_memory(lambda: EcapaTdnn(config.speaker_encoder))
    main.load_into(speaker_encoder, SPEAKER_ENCODER, device=device)
    mimi = without_memory(lambda: MimiEncoder(config.codec.encoder_config, config.codec.encoder_valid_num_quantizers))
    codec_file.load_into(mimi, "encoder.", ignore=mimi.UNUSED, packs=mimi.packs, device=device)
    mimi.prepare_weights()
    return Learners(speaker_encoder, mimi)


def _extraction_digest(config: Qwen3Config, main: Checkpoint, codec_file: Checkpoint, *, learns: bool) -> str:
    """That of a Base model is of its encoders alone."""
    parts = []
    if learns:
        parts.append(main.digest(name for name in main.names if name.startswith(SPEAKER_ENCODER)))
        parts.append(codec_file.digest(name for name in codec_file.names if name.startswith("encoder.")))
    if config.speakers or not learns:
        parts.append(main.digest([SPEAKER_TABLE]))
    return hashlib.sha256("".join(parts).encode()).hexdigest()
