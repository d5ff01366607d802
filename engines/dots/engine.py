"""DotsEngine: the Engine contract on top of the networks. What a prompt holds, how a text is spoken, what is kept on the device."""

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import torch

from engines.clips.clip import Clip, Transcript
from engines.contract.contract import YIELD_POINT, EngineInfo
from engines.contract.editing import RecordingEdit
from engines.contract.options import Value, bool_option, choice_option, float_option, int_option, text_option
from engines.contract.prompt import SpeakerPrompt, unreadable
from engines.contract.speech_end import ENDED, SpeechEnd
from engines.contract.text_feed import TextFeed
from engines.dots.batched_decoder import DotsRows
from engines.dots.editing.edit_kinds import EDIT_KINDS
from engines.dots.editing.edit_limit import edit_limit
from engines.dots.editing.instruction import edit_ids, follows_speaker
from engines.dots.editing.source import hear_source
from engines.dots.input_sequence import said_text
from engines.dots.interleaving import MOST_TOKENS, DotsAlong, recording_ids
from engines.dots.networks import DotsNetworks
from engines.dots.options import CONTINUATION, own_options
from engines.dots.recording import hear, heard_samples, latents_of, x_vector_of
from engines.dots.stream_start import DotsStart, DotsStream, HeardPatches, PatchParams
from engines.dots.text_pieces import MOST_CHARACTERS, babble_patches, text_pieces
from engines.errors import TextUnspeakable, TranscriptRequired
from engines.kit.decode.batched_decoder import BatchedDecoder
from engines.kit.decode.batched_engine import BatchedEngine
from engines.kit.decode.chunk_schedule import ChunkSchedule
from engines.kit.decode.frame_limit import FrameLimit, frame_limit
from engines.kit.decode.frame_loop import speak
from engines.kit.decode.gpu_use import GpuUse
from engines.kit.decode.runaway import RunawayGuard
from engines.kit.nn.attention import AttentionConfig
from engines.kit.nn.ieee_float32 import ieee_float32
from engines.text.spoken_length import spoken_seconds

__all__ = ["DotsCounts", "DotsEngine"]

X_VECTOR, LATENTS = "x_vector", "latents"  # tensors of a prompt: (X,) float32, and (N, P, D) float32, N of 0 for a recording of one patch
SILENT_PATCHES = 10  # of zeros, of whose latents the first patch is silence (_get_initial_silence_audio_patch of dots.tts 0.3.1)
GUIDED_WIDTH = 4  # streams that one step serves on a GPU where each has twice the memory for each of ten steps


@dataclass
class DotsCounts:
    """How often the engine did what a prepared voice spares it. For tests and figures."""

    encoder_runs: int = 0
    heard_recordings: int = 0


class DotsEngine(BatchedEngine[DotsNetworks, BatchedDecoder[DotsStart, DotsStream]]):
    """One checkpoint on one device. Made by `engines.dots.open`.

    Extraction is float32 everywhere (`numeric_mode` "fp32"), TF32 off; language model, semantic encoder and velocity field compute in the
    dtype that the engine was opened with, the audio decoder in float32.
    """

    PREPARED_MOST_BYTES = 512 * 1024 * 1024  # a recording of 10 s takes 12 MB in bfloat16

    def __init__(self, info: EngineInfo, networks: DotsNetworks, *, gpu: GpuUse = GpuUse(), width: int = 0, most_steps: int = 0):
        sampler = networks.config.sampler
        steps = sampler.n_steps if sampler.is_locked else most_steps or sampler.n_steps
        if not width and networks.device.type == "cuda" and sampler.n_branches == 2:
            width = GUIDED_WIDTH
        decoder_of = lambda graphs, shapes: BatchedDecoder(DotsRows(networks, graphs, most_steps=steps, **shapes))  # noqa: E731
        super().__init__(info, networks, decoder_of, packed=(networks.model,), gpu=gpu, width=width)
        vocoder = networks.config.vocoder
        reads_along = networks.config.streaming is not None
        most = MOST_CHARACTERS if reads_along else info.most_text_characters  # of one stream, which is not cut
        options = tuple(option for option in own_options(sampler, steps) if not (reads_along and option.name == "language"))
        edits = EDIT_KINDS if networks.can_edit else ()
        about = {"options": options, "reads_along": reads_along, "most_text_characters": most, "edits": edits}
        self.info = replace(info, sample_rate=vocoder.sample_rate, **about)
        self._silent_patch: torch.Tensor | None = None
        self.counts, self._patches_per_second = DotsCounts(), vocoder.sample_rate / networks.config.patch_samples

    def extract(self, clip: Clip, transcript: Transcript | None = None) -> SpeakerPrompt:
        self.check_clip(clip)
        self.counts.encoder_runs += 1
        samples = heard_samples(clip, self._networks)
        latents = latents_of(samples, clip.digest, self._networks)
        tensors = {X_VECTOR: x_vector_of(samples, self._networks), LATENTS: latents}
        return self.make_prompt(clip.digest, tensors, transcript, {"seconds": round(clip.seconds, 3), "patches": len(latents)})

    def stream(self, text: str, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> Generator[np.ndarray, None, SpeechEnd]:
        if self.info.reads_along:
            feed = TextFeed()
            feed.add(text)
            feed.end()
            return (yield from self.stream_along(feed, prompt, options))
        self.check_prompt(prompt)
        pieces, told = text_pieces(text), ENDED
        if not pieces:
            raise TextUnspeakable(sentence="text_missing")
        for index, piece in enumerate(pieces):
            end = yield from self._speak(*self._beginning(piece, prompt, options, index), options)
            told = end if told.reason == ENDED.reason else told
        return told

    def stream_along(self, text: TextFeed, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> Generator[np.ndarray, None, SpeechEnd]:
        """From the first words, where the checkpoint reads a text token by token."""
        if self._networks.config.streaming is None:
            return (yield from super().stream_along(text, prompt, options)) or ENDED
        self.check_prompt(prompt)
        along = DotsAlong(text, self._networks.vocabulary, self._networks.config.streaming)
        along.take()
        while not along.has_next(0):
            along.want()
            yield YIELD_POINT
            along.take()
        if not along.ids:
            raise TextUnspeakable(sentence="text_missing")
        start = self._beginning_along(along, prompt, options)
        along.limit_of = lambda whole: self._limit(whole, start, options)
        limit = self._limit(along.text, start, options, knows_text=along.is_over)
        end = yield from self._speak(start, self._schedule(limit, options), options)
        return along.limit_of(along.text).cut if end is limit.cut else end

    def edit(
        self, clip: Clip, change: RecordingEdit, prompt: SpeakerPrompt, options: Mapping[str, Value]
    ) -> Generator[np.ndarray, None, SpeechEnd]:
        """See Engine.edit. Of the prompt it takes the speaker vector alone, which upstream learns of the recording as `hear_source` has it.

        The option mode has no effect. No silence ends it: pauses are the recording's own, and `edit_limit` bounds how long it may become.
        """
        if not self.info.edits:
            return (yield from super().edit(clip, change, prompt, options)) or ENDED
        self.check_source(clip)
        self.check_prompt(prompt)
        start, schedule = self._beginning_of_edit(clip, change, prompt, options)
        return (yield from speak(self._batched_decoder, start, schedule, None))

    def _speak(
        self, start: DotsStart, schedule: ChunkSchedule, options: Mapping[str, Value]
    ) -> Generator[np.ndarray, None, SpeechEnd]:  # fmt: skip
        guard = RunawayGuard(self.info.sample_rate) if options["runaway_guard"] else None
        return (yield from speak(self._batched_decoder, start, schedule, guard))

    def warmup(self) -> None:
        super().warmup()
        if self._is_gpu:  # so that nobody's first recording loads its kernels
            silence = torch.zeros(1, SILENT_PATCHES * self._networks.config.patch_samples)
            latents_of(silence, "0", self._networks)
            x_vector_of(silence, self._networks)

    def prepare(self, prompt: SpeakerPrompt) -> None:
        """Keep what the semantic encoder makes of the recording, where its words are known: without them no speech goes on from it."""
        self.check_prompt(prompt)
        if _words(prompt):
            self._heard(prompt)

    def check_prompt(self, prompt: SpeakerPrompt) -> None:
        """Raises PromptInvalid for a prompt that is not this engine's, or whose tensors are not what it makes."""
        super().check_prompt(prompt)
        config, tensors = self._networks.config, prompt.tensors
        fits = tensors.keys() == {X_VECTOR, LATENTS} and all(one.dtype == np.float32 and np.isfinite(one).all() for one in tensors.values())
        fits = fits and tensors[X_VECTOR].shape == (config.campplus_embedding_size,)
        if not fits or tensors[LATENTS].ndim != 3 or tensors[LATENTS].shape[1:] != (config.patch_size, config.latent_dim):
            raise unreadable(prompt)

    # --- private

    def _attentions(self) -> Iterator[tuple[AttentionConfig, torch.dtype]]:
        model = self._networks.model
        for attention in (model.decoder.config.attention, model.patch_encoder.attention, model.velocity_field_predictor.attention):
            yield attention, self._networks.dtype
        yield model.decoder.config.attention, torch.float32  # that of the audio decoder

    @torch.inference_mode()
    def _beginning(
        self, piece: str, prompt: SpeakerPrompt, options: Mapping[str, Value], index: int
    ) -> tuple[DotsStart, ChunkSchedule]:  # fmt: skip
        """Everything that is decided before the first patch of a piece. Raises TextUnspeakable, TranscriptRequired."""
        networks, words = self._networks, self._words_before(prompt, options)
        rows = networks.model.embed(networks.vocabulary.ids(said_text(piece, words, choice_option(options, "language"))))
        stream_start = self._start(rows, prompt, options, index)
        if words:
            heard, first = self._heard(prompt), rows.shape[1] - 1
            made_of = tuple(range(first, first + heard.rows.shape[1]))
            stream_start = replace(stream_start, rows=torch.cat([rows, heard.rows], dim=1), heard=heard, made_of=made_of)
        return stream_start, self._schedule(self._limit(piece, stream_start, options), options)

    @torch.inference_mode()
    def _beginning_along(self, along: DotsAlong, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> DotsStart:
        """The same where a text is read token by token, of which enough has come for the first patch."""
        networks, words, pattern = self._networks, self._words_before(prompt, options), self._networks.config.streaming
        model, vocabulary, first = networks.model, networks.vocabulary, along.read(0)
        assert pattern is not None
        if not words:
            rows = model.embed([*vocabulary.along_prefix, *first])
            return replace(self._start(rows, prompt, options, 0), along=along, opening=self._silence())
        heard = self._heard(prompt)
        ids, behind = recording_ids(vocabulary.piece(f"{words}\n"), heard.rows.shape[1] + 1, vocabulary, pattern)
        rows = model.embed([max(0, token) for token in ids])
        places = [place for place, token in enumerate(ids) if token < 0]
        rows[:, places] = heard.rows
        start = replace(self._start(rows, prompt, options, 0), heard=heard, made_of=tuple(place - 1 for place in places))
        return replace(start, along=along, behind=model.embed([*behind, *first]))

    @torch.inference_mode()
    def _beginning_of_edit(
        self, clip: Clip, change: RecordingEdit, prompt: SpeakerPrompt, options: Mapping[str, Value]
    ) -> tuple[DotsStart, ChunkSchedule]:
        """Raises EditInvalid, TextUnspeakable."""
        networks, rows = self._networks, self._batched_decoder.rows
        assert isinstance(rows, DotsRows)
        ids = edit_ids(change, choice_option(options, "language"), networks.vocabulary)
        source = hear_source(clip, networks)
        before, between = (networks.model.embed(part) for part in ids)
        start = replace(self._start(torch.cat([before, source.rows, between], dim=1), prompt, options, 0), source=source)
        if not follows_speaker(change):
            start = replace(start, voices=torch.zeros_like(start.voices))
        room = min(rows.most_positions - start.n_rows, rows.most_patches - start.n_source)
        limit = edit_limit(change, start.n_source, room, options, self._patches_per_second)
        return start, self._schedule(limit, options)

    def _start(self, rows: torch.Tensor, prompt: SpeakerPrompt, options: Mapping[str, Value], index: int) -> DotsStart:
        x_vector = torch.tensor(prompt.tensors[X_VECTOR], device=self._networks.device)[None]
        voices = self._networks.model.voices(x_vector, float_option(options, "speaker_scale"))
        return DotsStart(rows, voices, heard=None, params=self._params(options, index))

    def _words_before(self, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> str:
        """Of the recording that speech goes on from, "" where from nothing. Raises TranscriptRequired."""
        if text_option(options, "mode") != CONTINUATION:
            return ""
        if words := _words(prompt):
            return words
        hint = "Add the words of the recording to the voice, or use the mode voice."
        raise TranscriptRequired(sentence="transcript_for_mode", hint=hint)

    @torch.inference_mode()
    def _silence(self) -> torch.Tensor:
        """The first patch of a voice that reads token by token, (P, D), normalized: upstream gives it to the model, and so it is heard."""
        if self._silent_patch is None:
            config = self._networks.config
            with ieee_float32():
                zeros = torch.zeros(1, SILENT_PATCHES * config.patch_samples, device=self._networks.device)
                means = self._networks.encoder.encode(zeros)[0][0, : config.patch_size]
            self._silent_patch = self._networks.stats.normalized(means).to(self._networks.dtype)
        return self._silent_patch

    def _params(self, options: Mapping[str, Value], index: int) -> PatchParams:
        sampler = self._networks.config.sampler
        n_steps = sampler.n_steps if sampler.is_locked else int_option(options, "num_steps")
        guidance = 0.0 if sampler.guidance is None else float_option(options, "guidance_scale")
        return PatchParams((int_option(options, "seed") + index) % 2**63, n_steps, guidance)

    def _limit(self, text: str, start: DotsStart, options: Mapping[str, Value], *, knows_text: bool = True) -> FrameLimit:
        """As many patches as the text may take, were asked for and have room. Raises TextUnspeakable."""
        rows, n_again = self._batched_decoder.rows, int(start.heard is not None)  # the patch that is made once more
        assert isinstance(rows, DotsRows)
        n_ids = 0 if start.along is None else MOST_TOKENS * len(text)  # at most, of a text that is read beside
        room = min(rows.most_positions - start.n_rows - n_ids, rows.most_patches - start.n_heard - n_again)
        wanted = max(1, int(spoken_seconds(text) * self._patches_per_second))
        if room < wanted:
            n_rows, most = start.n_rows, start.n_rows + room - wanted
            title = self.info.title
            raise TextUnspeakable(sentence="text_too_long_at_once", engine=title, n=n_rows, most=max(0, most))
        heeds_text = knows_text and bool_option(options, "runaway_guard")
        return frame_limit(
            text,
            frames_per_second=self._patches_per_second,
            asked=int_option(options, "max_patches"),
            room=room,
            heeds_text=heeds_text,
            by_tokens=babble_patches(text, self._patches_per_second) if heeds_text else None,
        )

    def _schedule(self, limit: FrameLimit, options: Mapping[str, Value]) -> ChunkSchedule:
        return ChunkSchedule(int_option(options, "first_chunk_patches"), int_option(options, "chunk_patches"), limit)

    def _heard(self, prompt: SpeakerPrompt) -> HeardPatches:
        return self._prepared.get(prompt.content_digest, "heard", lambda: self._hear(prompt))

    def _hear(self, prompt: SpeakerPrompt) -> HeardPatches:
        self.counts.heard_recordings += 1
        return hear(prompt.tensors[LATENTS], self._networks)


def _words(prompt: SpeakerPrompt) -> str:
    return "" if prompt.transcript is None else prompt.transcript.text.strip()
