"""OmniVoiceEngine: the Engine contract on top of the networks. What a prompt holds, how a text is spoken piece by piece.

Reference encoder: a recording at the codec's rate becomes codes and a loudness. A quiet one is raised, pauses are shortened, and only
whole frames count.
"""

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from engines.clips.clip import Clip, Transcript, loudest_dbfs
from engines.clips.transcript import check_words, wanted_words
from engines.contract.contract import YIELD_POINT, EngineInfo
from engines.contract.options import Value, bool_option, choice_option
from engines.contract.prompt import SpeakerPrompt, preset_digest, unreadable
from engines.contract.speech_end import ENDED, SpeechEnd
from engines.errors import ClipUnusable, TextUnspeakable
from engines.kit.codec.sinc_resampling import sinc_resample
from engines.kit.decode.batched_engine import BatchedEngine
from engines.kit.decode.cuda_graphs import HostCopy
from engines.kit.decode.gpu_use import GpuUse
from engines.kit.nn.attention import AttentionConfig
from engines.kit.nn.ieee_float32 import ieee_float32
from engines.omnivoice.batched_decoder import BatchedSentenceDecoder
from engines.omnivoice.networks import OmniVoiceNetworks
from engines.omnivoice.postprocess import LEAST_RMS, SentencePostprocessor
from engines.omnivoice.reference import ReferenceRows, SpokenReference
from engines.omnivoice.sentence import Sentence
from engines.omnivoice.silence import remove_silence
from engines.omnivoice.speech_plan import SpeechPlan
from engines.omnivoice.text.duration import weight_per_frame
from engines.omnivoice.text.input_text import in_brackets, prompt_ids, with_final_mark
from engines.omnivoice.text.normalization import normalized

__all__ = ["OmniVoiceCounts", "OmniVoiceEngine", "heard_samples", "recording_codes"]

CODES, RMS = "codes", "rms"  # tensors of a prompt: (Q, F) int16 and () float32; of the built-in speaker no frames
GPU_WIDTH, CPU_WIDTH = 4, 1  # on a CPU a step of one sentence keeps all cores busy
# Of a pass: what stands before a sentence, and the sentence twice; a voice of 30 s leaves room for a minute. With a row of padding it is
# twice the largest area.
MOST_ROWS = 4095
# What is decoded at once of a sentence. Always the same, since its last bits depend on it and silences are judged in whole numbers.
MOST_BLOCK_FRAMES = 100
MOST_WORD_TOKENS = 1024  # of a recording's words; those of 30 s are some 150


@dataclass
class OmniVoiceCounts:
    """How often the engine did what is slow. For tests and figures."""

    encoder_runs: int = 0


class OmniVoiceEngine(BatchedEngine[OmniVoiceNetworks, BatchedSentenceDecoder]):
    """One checkpoint on one device. Made by `engines.omnivoice.open`.

    A prompt holds the codes of a recording and how loud it was; its words are read with it, so that they can be corrected without
    encoding anything again. Extraction is float32 everywhere (`numeric_mode` "fp32"), TF32 off; the backbone computes in the dtype that
    the engine was opened with, the codec in float32.
    """

    PREPARED_MOST_BYTES = 64 * 1024 * 1024  # a voice of 10 s takes half a megabyte in bfloat16

    def __init__(
        self, info: EngineInfo, networks: OmniVoiceNetworks, *, gpu: GpuUse = GpuUse(), loop_graphs: bool = True, width: int = 0
    ):  # fmt: skip
        width = width or (GPU_WIDTH if networks.device.type == "cuda" else CPU_WIDTH)
        decoder_of = lambda graphs, shapes: BatchedSentenceDecoder(networks, graphs, **shapes)  # noqa: E731
        super().__init__(info, networks, decoder_of, packed=(networks.backbone,), gpu=gpu, width=width)
        self._batched_decoder.loops = self._batched_decoder.loops and loop_graphs
        self.counts = OmniVoiceCounts()

    def extract(self, clip: Clip, transcript: Transcript | None = None) -> SpeakerPrompt:
        self.check_clip(clip)
        words = self._words(transcript)
        self.counts.encoder_runs += 1
        codes, rms = recording_codes(clip, self._networks)
        n_frames = codes.shape[1]
        pace = weight_per_frame(with_final_mark(words), n_frames)  # of the words that it was learned with: others may come later
        facts = {"seconds": round(clip.seconds, 3), "frames": n_frames, "weight_per_frame": round(pace, 3)}
        return self.make_prompt(clip.digest, {CODES: codes, RMS: np.array(rms, np.float32)}, transcript, facts)

    def preset(self, name: str) -> SpeakerPrompt:
        if name not in self.info.presets:
            return super().preset(name)
        nobody = np.zeros((self._networks.backbone.n_codebooks, 0), np.int16)
        return self.make_prompt(preset_digest(name), {CODES: nobody, RMS: np.zeros((), np.float32)})

    def stream(self, text: str, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> Generator[np.ndarray, None, SpeechEnd]:
        self.check_prompt(prompt)
        reference = self._reference(prompt) if prompt.tensors[CODES].size else None
        language = choice_option(options, "language")
        text = normalized(text, language) if options["normalize_text"] else text
        plan = SpeechPlan.of(in_brackets(text, language), reference, options)
        prompts = self._prompts(plan, reference)
        rms, n_done = reference.rms if reference else None, 0
        while n_done < len(plan.pieces):
            ids_of_each = prompts[n_done : n_done + (self.width if n_done else 1)]
            sentences: list[Sentence] = []
            try:
                for index, ids in enumerate(ids_of_each, start=n_done):
                    sentences.append(self._begin(ids, reference, plan, index))
                for index, sentence in enumerate(sentences):
                    yield from self._settle(sentences[index:])
                    is_first, removes = n_done + index == 0, bool_option(options, "postprocess_output")
                    finishing = SentencePostprocessor(self.info.sample_rate, rms, is_first=is_first, removes_silences=removes)
                    yield from self._heard(sentence, finishing)
                if reference is None:
                    rows = self._networks.backbone.embed_frames(self._batched_decoder.codes(sentences[0]))
                    reference = SpokenReference(with_final_mark(plan.pieces[0].text), rows, rms=None)
            finally:
                for sentence in sentences:
                    self._batched_decoder.release(sentence)
            n_done += len(sentences)
        return ENDED

    def warmup(self) -> None:
        super().warmup()
        rate = self._networks.codec_config.sample_rate
        noise = np.random.default_rng(0).normal(0, 0.1, rate).astype(np.float32)
        codes, _ = recording_codes(Clip(noise, rate), self._networks)  # so that nobody's first recording loads the kernels
        self._batched_decoder.decode(torch.tensor(codes[None].astype(np.int64), device=self._networks.device), 0, codes.shape[1])

    def prepare(self, prompt: SpeakerPrompt) -> None:
        """Keep the recording as the backbone reads it."""
        self.check_prompt(prompt)
        if prompt.tensors[CODES].size:
            self._reference_rows(prompt)

    def check_prompt(self, prompt: SpeakerPrompt) -> None:
        """Raises PromptInvalid for a prompt that is not this engine's, or whose tensors are not what it makes."""
        super().check_prompt(prompt)
        backbone, tensors = self._networks.backbone, prompt.tensors
        fits = tensors.keys() == {CODES, RMS} and tensors[CODES].dtype == np.int16 and tensors[RMS].shape == ()
        fits = fits and tensors[CODES].ndim == 2 and len(tensors[CODES]) == backbone.n_codebooks
        fits = fits and (not tensors[CODES].size) == prompt.is_preset  # whom nobody recorded, and nobody else
        fits = fits and (not tensors[CODES].size or 0 <= tensors[CODES].min() <= tensors[CODES].max() < backbone.mask_id)
        if not (fits and tensors[RMS].dtype == np.float32 and 0.0 <= tensors[RMS] < np.inf):
            raise unreadable(prompt)

    # --- private

    def _attentions(self) -> Iterator[tuple[AttentionConfig, torch.dtype]]:
        yield self._networks.backbone.decoder.config.attention, self._networks.dtype

    def _prompts(self, plan: SpeechPlan, reference: SpokenReference | None) -> list[list[int]]:
        """Ids of what stands before each piece's frames and those of its reference, which without one is the first piece for all others.

        Raises TextUnspeakable for a text of which any piece cannot be read, or is too long, before anything of it is heard.
        """
        first = plan.pieces[0]
        words, n_frames = (reference.words, reference.n_frames) if reference else (with_final_mark(first.text), first.n_frames)
        prompts = []
        for index, piece in enumerate(plan.pieces):
            told, n_told = (words, n_frames) if reference or index else (None, 0)
            prompts.append(
                prompt_ids(
                    self._networks.tokenizer, piece.text, told, language=plan.language, description=plan.description, denoise=plan.denoise
                )
            )
            n_rows = len(prompts[-1]) + n_told + 2 * piece.n_frames
            if n_rows > MOST_ROWS:
                raise TextUnspeakable(sentence="text_too_long_at_once", engine=self.info.title, n=n_rows, most=MOST_ROWS)
        return prompts

    def _begin(self, ids: list[int], reference: SpokenReference | None, plan: SpeechPlan, index: int) -> Sentence:
        """The plan's piece of that index, behind these ids."""
        rows = self._embed_text(ids)
        if reference is not None:
            rows = torch.cat([rows, reference.rows], dim=1)
        return self._batched_decoder.begin(rows, plan.pieces[index].n_frames, plan.settings_of(index), in_hurry=index == 0)

    def _settle(self, sentences: Sequence[Sentence]) -> Iterator[np.ndarray]:
        """The first of them, which is heard next; those that can share its steps come on with it, the others have to wait."""
        first = sentences[0]
        together = [sentence for sentence in sentences if sentence.kind == first.kind]
        while not first.is_settled:
            for sentence in together:
                self._batched_decoder.want(sentence)
            yield YIELD_POINT
            if due := self._batched_decoder.due(first):
                self._batched_decoder.step(due)

    def _heard(self, sentence: Sentence, finishing: SentencePostprocessor) -> Iterator[np.ndarray]:
        """Its sound in blocks, the first of them small."""
        codes, first, size = self._batched_decoder.codes(sentence), 0, self._batched_decoder.FIRST_BLOCK_FRAMES
        while first < sentence.n_frames:
            last = min(first + size, sentence.n_frames)
            samples = HostCopy(self._batched_decoder.decode(codes, first, last)).wait().numpy()
            block = finishing.feed(samples)
            if last == sentence.n_frames:
                block = np.concatenate([block, finishing.finish()])
            yield block if len(block) else YIELD_POINT
            first, size = last, min(2 * size, MOST_BLOCK_FRAMES)

    def _reference(self, prompt: SpeakerPrompt) -> SpokenReference:
        """Raises TranscriptRequired, TranscriptMismatch."""
        words = with_final_mark(self._words(prompt.transcript))
        return SpokenReference(words, self._reference_rows(prompt).rows, float(prompt.tensors[RMS]))

    def _reference_rows(self, prompt: SpeakerPrompt) -> ReferenceRows:
        return self._prepared.get(prompt.content_digest, "reference", lambda: self._embed_reference(prompt))

    @torch.inference_mode()
    def _embed_reference(self, prompt: SpeakerPrompt) -> ReferenceRows:
        codes = torch.tensor(prompt.tensors[CODES][None].astype(np.int64), device=self._networks.device)
        return ReferenceRows(self._networks.backbone.embed_frames(codes))

    @torch.inference_mode()
    def _embed_text(self, ids: list[int]) -> torch.Tensor:
        return self._networks.backbone.embed_text(torch.tensor([ids], device=self._networks.device))

    def _words(self, transcript: Transcript | None) -> str:
        """Raises TranscriptRequired, and TranscriptMismatch, as a voice may get other words after it was learned."""
        words = wanted_words(transcript, self.info.title).text
        check_words([words], self._networks.tokenizer.ids, MOST_WORD_TOKENS)
        return words


# --- a recording


# Upstream's for recordings (omnivoice/models/omnivoice.py, create_voice_clone_prompt @ 468e927).
MIDDLE_MS, LEADING_MS, TRAILING_MS = 200, 100, 200


@torch.inference_mode()
def recording_codes(clip: Clip, networks: OmniVoiceNetworks) -> tuple[np.ndarray, float]:
    """codes: (Q, F) int16, 25 frames a second. rms: of the recording as it came, which speech in its voice is lowered to.

    What is left of a last frame is cut off, as upstream. Raises ClipUnusable (clip_silent) where no frame is left.
    """
    config = networks.codec_config
    samples, rms = heard_samples(clip, config.sample_rate)
    samples = samples[: len(samples) // config.frame_samples * config.frame_samples]
    if not len(samples):
        detail = "without its silences none of it is left; it must be louder than -50 dBFS for a moment"
        raise ClipUnusable("clip_silent", detail=detail, level_dbfs=round(loudest_dbfs(clip)))
    with ieee_float32():
        codes = networks.encoder.encode(torch.from_numpy(samples)[None].to(networks.device))
    return codes[0].to(torch.int16).cpu().numpy(), rms


def heard_samples(clip: Clip, rate: int) -> tuple[np.ndarray, float]:
    """(T,) float32 at the rate, of 16 bits, without silences; and the recording's root mean square before it was raised to LEAST_RMS.

    Resampled by torchaudio, as upstream, for the codes that the model was trained on are of such samples. In float32 in upstream's order,
    since pauses are found by comparing whole numbers of 16 bits.
    """
    samples = clip.samples
    if clip.sample_rate != rate:
        with ieee_float32():
            samples = sinc_resample(samples, clip.sample_rate, rate).numpy()
    rms = float(np.sqrt(np.mean(samples**2)))
    if 0 < rms < LEAST_RMS:
        samples = samples * np.float32(LEAST_RMS) / np.float32(rms)
    return remove_silence(samples, rate, MIDDLE_MS, LEADING_MS, TRAILING_MS), rms
