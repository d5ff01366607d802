"""Our networks on a checkpoint, driven by hand: what the engine does, greedily and in the open, so that every number can be compared."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from engines.kit.sampling.sampling import SamplingTensors, apply_repetition_penalty, sample
from engines.kit.weights.checkpoint import Checkpoint
from engines.qwen3_tts.codec_decoder import CodecDecoder
from engines.qwen3_tts.config import Qwen3Config
from engines.qwen3_tts.input_sequence import QwenInputSequence, Reference, TextRows
from engines.qwen3_tts.networks import Learners, read_networks
from engines.qwen3_tts.talker import CodePredictor, Talker
from engines.qwen3_tts.tokenizer import TextTokenizer
from tests.parity.qwen3_tts.cases import OWN_TEXT, REFERENCE_TEXT, Case, OwnVoice, SamplingCase

__all__ = ["Networks", "codec_in_float64"]

PENALTY = 1.05
LEAST_TOKENS = 2  # before which speech does not end: `min_new_tokens` of the official generate


@dataclass(frozen=True)
class Networks:
    """Every network of one checkpoint, float32 on the CPU."""

    config: Qwen3Config
    tokenizer: TextTokenizer
    talker: Talker
    predictor: CodePredictor
    rows: QwenInputSequence
    learners: Learners | None
    codec: CodecDecoder

    @classmethod
    def read(cls, folder: Path) -> "Networks":
        """All of a checkpoint folder; no tensor of it is left over."""
        read = read_networks(folder, torch.device("cpu"), torch.float32)
        return cls(read.config, read.tokenizer, read.talker, read.predictor, read.rows, read.learners, read.codec)

    @torch.inference_mode()
    def own_voice(self, case: OwnVoice) -> TextRows:
        """What the talker reads where a voice of the model's own speaks."""
        config, speakers = self.config, {speaker.name: speaker for speaker in self.config.speakers}
        speaker = speakers.get(case.speaker)
        language = config.talker.codec_language_id.get(case.language)
        if speaker is not None and speaker.dialect is not None and case.language in ("auto", "chinese"):
            language = speaker.dialect
        told = case.instruction if config.obeys_instructions else ""
        turn = self.tokenizer.instruction(told, config.im_start_token_id, config.im_end_token_id)
        reference = Reference(self.talker.codec_embedding.weight[speaker.row] if speaker else None)
        return self.rows.build(reference, self.tokenizer.body(OWN_TEXT), language, full_text=case.full_text, instruction_ids=turn)

    @torch.inference_mode()
    def input_text(self, case: Case, codes: np.ndarray, embedding: np.ndarray) -> TextRows:
        """What the talker reads in a case. codes (F, 16) and embedding (H,): of the reference clip."""
        code_rows = self.rows.code_rows(torch.from_numpy(codes.astype(np.int64))) if case.in_context else None
        words = self.tokenizer.body(REFERENCE_TEXT) if case.in_context else None
        language = None if case.language == "auto" else self.config.talker.codec_language_id[case.language]
        reference = Reference(torch.from_numpy(embedding), code_rows, words)
        return self.rows.build(reference, self.tokenizer.body(case.text), language, full_text=case.full_text)

    @torch.inference_mode()
    def greedy(self, input_text: TextRows, frames: int) -> np.ndarray:
        """Codes (F, 16) of at most `frames` frames, fewer where speech ends."""
        talker, n_rows = self.config.talker, input_text.rows.shape[1]
        cache, own = self.talker.decoder.new_cache(1, n_rows + frames), self.predictor.new_cache()
        seen, spoken = torch.zeros(1, talker.vocab_size, dtype=torch.bool), []
        hidden = self.talker.decoder.prefill(input_text.rows, cache)
        while True:
            logits = apply_repetition_penalty(self.talker.logits(hidden), seen, torch.tensor([[PENALTY]]))
            logits[:, talker.vocab_size - 1024 :][:, self._suppressed(len(spoken))] = float("-inf")
            code = logits.argmax(dim=-1)
            if code == talker.codec_eos_token_id or len(spoken) == frames:
                return np.stack(spoken).astype(np.int16)
            seen[0, code] = True
            row = self.talker.embed_codes(code[:, None])
            others, rows = self.predictor.complete(hidden, row[:, 0], lambda logits, _book: logits.argmax(dim=-1), own)
            spoken.append(torch.cat([code[:, None], others], dim=1)[0].numpy())
            frame = len(spoken) - 1
            text = input_text.trailing[:, frame : frame + 1] if frame < input_text.trailing.shape[1] else self.rows.padding
            row = torch.cat([row, rows], dim=1).sum(dim=1, keepdim=True) + text
            hidden = self.talker.decoder.decode_step(row, cache, n_rows + frame)

    def chosen(self, logits: np.ndarray, history: np.ndarray, case: SamplingCase, noise: torch.Tensor) -> np.ndarray:
        """Codebook 0 from logits (V,) after a history (N,), once for each row of Gumbel noise (B, V): (B,) int64."""
        seen = torch.zeros(1, len(logits), dtype=torch.bool)
        seen[0, torch.from_numpy(history)] = True
        scores = apply_repetition_penalty(torch.from_numpy(logits)[None], seen, torch.tensor([[case.repetition_penalty]]))
        scores[:, -1024:][:, self._suppressed(len(history))] = float("-inf")
        params = SamplingTensors.blank(len(noise), "cpu")
        params.set(case.temperature, case.top_k, case.top_p)
        return sample(scores.expand(len(noise), -1), noise, params).numpy()

    def _suppressed(self, n_spoken: int) -> torch.Tensor:
        """Which of the last 1024 ids must not be chosen: all but the end of speech, and that too while too little is spoken."""
        suppressed = torch.ones(1024, dtype=torch.bool)
        suppressed[self.config.talker.codec_eos_token_id - (self.config.talker.vocab_size - 1024)] = n_spoken < LEAST_TOKENS
        return suppressed


def codec_in_float64(folder: Path) -> CodecDecoder:
    """The codec decoder of a checkpoint in double precision, its folded weights too."""
    codec = CodecDecoder(Qwen3Config.read(folder).codec.decoder_config).double()
    with Checkpoint(folder / "speech_tokenizer") as checkpoint:
        checkpoint.load_into(codec, "decoder.", packs=codec.packs, ignore=codec.UNUSED)
    codec.prepare_weights()
    return codec
