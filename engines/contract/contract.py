"""Engine and EngineInfo: the one interface between a speech model and everything else."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from engines.clips.clip import Clip, Transcript, check_audible
from engines.contract.clip_wishes import NO_WISHES, ClipWishes
from engines.contract.editing import EditKind, RecordingEdit
from engines.contract.health import WELL, EngineHealth
from engines.contract.language_limit import LanguageLimit
from engines.contract.license import License
from engines.contract.options import Option, Value
from engines.contract.prompt import Fact, SpeakerPrompt
from engines.contract.prompt_form import PromptForm
from engines.contract.refinement import RefinementStep
from engines.contract.speech_end import ENDED, SpeechEnd
from engines.contract.strengths import Strength
from engines.contract.text_feed import TextFeed
from engines.errors import (
    ClipsUnsupported,
    ClipUnusable,
    ConversionUnsupported,
    EditUnsupported,
    EmbeddingUnusable,
    PresetUnknown,
    PromptInvalid,
)

__all__ = ["YIELD_POINT", "ChunkStream", "Engine", "EngineInfo", "HeardOut", "StepResult"]

# --- streams


class HeardOut:
    """The chunks of a stream, for one reader; `end` is what the stream returned, once it is over."""

    def __init__(self, chunks: "ChunkStream"):
        self.end = ENDED
        self._chunks = chunks

    def __iter__(self) -> Iterator[np.ndarray]:
        self.end = (yield from self._chunks) or ENDED


# --- engines

YIELD_POINT = np.zeros(0, np.float32)  # yielded by a stream between two pieces of audio, where it can be stopped or wait for others

ChunkStream = Generator[np.ndarray, None, SpeechEnd | None]  # what `stream` gives, see there
StepResult = np.ndarray | SpeechEnd | Exception  # what a step gave one stream: a chunk or YIELD_POINT, the end, or that stream's own error


@dataclass(frozen=True)
class EngineInfo:
    """What an engine can do, declared as data. Nothing outside an engine's folder asks for its name to know this.

    id: the public name (`model` at the HTTP door).
    best_at: what it is chosen for among engines, the most telling first.
    licenses: of the weights; several where they are works of several makers. attribution: what these want shown wherever the engine is
    used ("Built with Fish Audio"), "" where nothing.
    weights_command: the one line that gets the weights, "" where none are needed.
    weights_bytes: about how large those of its checkpoint are; 0 where that is not known.
    sample_rate: Hz of every chunk that `stream` yields.
    streams: the unit in which audio comes. A "sentence" is computed as a whole before any of it is heard; how a text is cut for that, the
    engine decides, as every engine does: it is given whole texts of up to most_text_characters.
    transcript: whether `extract` or `stream` wants the words of the clip.
    transcript_shapes_prompt: the tensors depend on the words, so the words belong to the cache key.
    extractor_revision: changes when our extraction computes something else from the same clip.
    clones_clips: False for engines that speak in presets only.
    presets: built-in speakers; default_preset is the one that speaks when no speaker is asked for (None: a speaker must be named).
    designed_preset: the one of presets that has no voice of its own but the one that the option `instructions` describes.
    preset_languages: of presets whose voices belong to a language, its code, which may be an accent of one of languages (en-us). Each
    speaks all of languages, those that are not its own with an accent; a preset that is not there speaks all alike. preset_sexes: of
    presets that sound like a woman or a man.
    blends_presets: whether `preset` also takes a blend of them, as preset_blend.py writes it.
    most_recordings: of one clip that it tells apart, by Clip.joints; a clip of more it hears as one.
    most_text_characters: of one stream; a longer text is spoken in parts, by several.
    embedding_size: width of a speaker embedding that `embed` takes; None where it takes none.
    prompt_forms: of the tensors that `adopt` takes as a voice; () where it takes none.
    languages: codes of what it speaks. load_options: of opening it, beside checkpoint, device, dtype; environment variables <ID>_<NAME>.
    markup: patterns (re) of the marks in a text that it obeys, each matched as a whole: [laugh], <|...|>, emoji. What no pattern
    matches of the markup that studio/reading/markup knows never reaches it.
    phones: "ipa" where it obeys <phoneme alphabet="ipa" ph="..."> around a word, as kit/phonemes/ipa.py reads it; markup has that, too.
    phone_languages: in whose texts it does, () for all.
    leading_direction: a pattern (re) of what it follows and does not say where its text begins with it: "(softly) Good night".
    reads: what of a text it says rightly as people write it, so that nobody has to write it in words first: numbers.
    sound_check: what it asks of the sound of a clip beside its bounds, as a function that needs no weights and raises ClipUnusable; None
    where nothing. The engine asks the same when it learns.
    clip_wishes: what it makes less of in a clip, though it takes it, see clip_wishes.py.
    language_limits: what of its languages it reads wrongly, see language_limit.py.
    restriction: what the licenses together forbid ("commercial use"), "" where nothing; it is accepted before weights are fetched.
    wants_gpu: it takes a GPU where there is one, and is too slow to listen to without.
    suits_cpu: it sounds natural, and is quicker than speech on one core of a CPU: what to speak with where there is no GPU.
    converts: whether it says recorded speech again in another voice, see Engine.convert.
    reads_along: whether it speaks a text that is still coming, from its first words, see Engine.stream_along.
    refines: whether what `extract` gives is a beginning, which `refine` makes more alike, step by step, beside speech.
    hub_id: the hub's repository of the weights that it opens, by which it can be asked for as well; "" for weights of no repository.
    runs: "elsewhere" where another process or machine does the work. It is called from many threads at once, a thread for each stream, and
    serves them in its own order; its calls wait for a network. It may declare less before it is opened: presets, languages.
    is_deterministic: whether the same text, prompt, options and seed give the same samples; what is computed elsewhere need not.
    marks_words: whether its streams say where each word of their text is, see word_marks.py.
    edits: what it can change of what is said in a recording, see Engine.edit; () where nothing.
    leaves_traces: whether recordings that it is given stay elsewhere, where no deletion reaches. draws: whether another seed is heard.
    """

    id: str
    title: str
    summary: str
    licenses: tuple[License, ...]
    sample_rate: int
    streams: Literal["frame", "block", "chunk", "patch", "sentence"]
    transcript: Literal["unused", "optional", "required"]
    transcript_shapes_prompt: bool
    extractor_revision: str
    languages: tuple[str, ...]
    options: tuple[Option, ...]
    weights_command: str = ""
    weights_bytes: int = 0
    clones_clips: bool = True
    presets: tuple[str, ...] = ()
    default_preset: str | None = None
    designed_preset: str | None = None
    preset_languages: Mapping[str, str] = field(default_factory=dict, hash=False)
    preset_sexes: Mapping[str, Literal["female", "male"]] = field(default_factory=dict, hash=False)
    blends_presets: bool = False
    embedding_size: int | None = None
    prompt_forms: tuple[PromptForm, ...] = ()
    least_clip_seconds: float = 1.0
    most_clip_seconds: float = 30.0
    most_recordings: int = 1
    sound_check: Callable[[Clip], None] | None = None
    most_text_characters: int = 20_000
    load_options: tuple[Option, ...] = ()
    markup: tuple[str, ...] = ()
    phones: Literal["", "ipa"] = ""
    phone_languages: tuple[str, ...] = ()
    leading_direction: str = ""
    reads: tuple[Literal["numbers"], ...] = ()
    best_at: tuple[Strength, ...] = ()
    language_limits: tuple[LanguageLimit, ...] = ()
    clip_wishes: ClipWishes = NO_WISHES
    restriction: str = ""
    attribution: str = ""
    wants_gpu: bool = False
    suits_cpu: bool = False
    converts: bool = False
    reads_along: bool = False
    refines: bool = False
    hub_id: str = ""
    runs: Literal["here", "elsewhere"] = "here"
    is_deterministic: bool = True
    draws: bool = True
    leaves_traces: bool = False
    marks_words: bool = False
    edits: tuple[EditKind, ...] = ()

    def takes_phones(self, language: str) -> bool:
        """In a text of that language."""
        return self.phones == "ipa" and (not self.phone_languages or language.partition("-")[0] in self.phone_languages)

    @property
    def license(self) -> str:
        """All of them in one line: "CC-BY-NC for the model, Codec License for the codec"."""
        return ", ".join(f"{each.title} for the {each.covers}" if each.covers else each.title for each in self.licenses)


class Engine(ABC):
    """One opened model on one device. Used by one thread at a time, `refine` apart; streams of one engine may be advanced in turn.

    A subclass sets, when it opens:
    info: may narrow the catalog's (a checkpoint without encoder tensors does not clone clips).
    weights_fingerprint: digest of the weights that `extract` uses, computed from content, never from a directory's name.
    numeric_mode: precision of extraction, e.g. "fp32". device: where it computes, e.g. "cpu" or "cuda:0".
    device_is_tested: whether anybody has tried it on such a device. width: streams that one step serves; more at once gain nothing.
    """

    info: EngineInfo
    weights_fingerprint: str
    numeric_mode: str
    device: str
    device_is_tested: bool = True
    width: int = 1

    @abstractmethod
    def extract(self, clip: Clip, transcript: Transcript | None = None) -> SpeakerPrompt:
        """What the engine can learn from the clip. Raises what `check_clip` does, TranscriptRequired, TranscriptMismatch. Deterministic."""

    def refine(self, clip: Clip, transcript: Transcript | None, prompt: SpeakerPrompt) -> Generator[RefinementStep, None, None]:
        """Goes on learning what `extract` or an earlier step began, where info.refines; nothing where it does not.

        clip, transcript: what the prompt was learned from. It begins where the prompt's facts say that it stopped (refinement_of), and
        ends with a step that gives a complete prompt. Each prompt has the identity of the one it began with, and says in its facts how
        far it is; so does what `extract` gives.
        On another thread than all else of this engine, whose streams go on; each `next` takes a few seconds of one core at most, and
        nothing is computed before the first. Closing the iterator stops it. `close` may come at any time: the next `next` then ends it.
        Raises what `extract` does, PromptInvalid.
        """
        yield from ()

    @abstractmethod
    def stream(self, text: str, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> ChunkStream:
        """Audio of the text in the prompt's voice, piece by piece.

        options: complete, from `resolve_options(info.options, ...)`.
        yields: (T,) float32 in [-1, 1] at info.sample_rate; `YIELD_POINT`, of no samples, where a step is done and nothing can be heard
        yet, so that others may have their turn. Nothing is computed before the first `next`.
        returns: as a generator does, a SpeechEnd; None stands for one that says "ended".
        Closing the iterator stops the work where it last yielded. Raises TextUnspeakable, LanguageUnsupported, PromptInvalid.
        The same text, prompt, options and seed give the same samples, alone or interleaved with other streams, where the engine
        is_deterministic. One that runs elsewhere yields YIELD_POINT at least ten times a second while it waits, so that it can be stopped,
        and may state figures of the stream, see stream_figures.py.
        """

    def stream_along(self, text: TextFeed, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> ChunkStream:
        """Audio of a text that comes while it is spoken: from its first words where info.reads_along, else once it is whole.

        As `stream`, and with the same samples, but for how they are cut into chunks. Where the next words have not come the stream says so
        (TextFeed.want) and yields what it has, then YIELD_POINT; others of a batch go on. It ends with the text.
        """
        whole, is_over = "", False
        while not is_over:
            more, is_over = text.take()
            whole += more
            if not is_over:
                text.want()
                yield YIELD_POINT
        return (yield from self.stream(whole, prompt, options))

    def convert(self, clip: Clip, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> ChunkStream:
        """What is said in the clip, in the prompt's voice, piece by piece: as `stream` yields it, and under the same rules.

        clip: of at most info.most_clip_seconds. options: complete, as for `stream`; what concerns a text alone has no effect.
        Raises ConversionUnsupported where info.converts is False, ClipUnusable, PromptInvalid.
        """
        raise ConversionUnsupported(engine=self.info.title)

    def edit(self, clip: Clip, change: RecordingEdit, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> ChunkStream:
        """All that is said in the clip, with that changed, piece by piece: as `stream` yields it, and under the same rules.

        What is not to be changed is said alike, and yet anew: whoever asks puts the two together (studio/speech/editing).
        change: of `checked_edit` with info.edits. prompt: of whoever speaks in the clip.
        Raises EditUnsupported where info.edits is empty, EditInvalid, ClipUnusable, PromptInvalid.
        """
        raise EditUnsupported(engine=self.info.title)

    def advance(self, streams: Sequence[Iterator[np.ndarray]]) -> Iterable[StepResult]:
        """One turn for each of these streams, at most `width` of them, the most urgent first: what came of each, in their order.

        Each is taken as it comes, so that a first sound is on its way while others have their turn. Of an iterator the rest may be left,
        and those streams have had no turn.

        streams: of `stream`, or generators around them that hand on what they yield and what ends them. An error is the result of the
        stream that met it; the others go on. An engine that serves several by one step need not override this: a stream that wants a
        step says so and yields, and the first that cannot go on without its result has the step run for all that want one.
        """
        return map(_advanced, streams)

    @abstractmethod
    def close(self) -> None:
        """Free device and host memory. Streams must be closed before."""

    def embed(self, embedding: np.ndarray) -> SpeakerPrompt:
        """A prompt from an uploaded speaker embedding, (info.embedding_size,) float32."""
        raise EmbeddingUnusable(sentence="embedding_untaken", engine=self.info.title)

    def adopt(self, name: str, tensor: np.ndarray) -> SpeakerPrompt:
        """A prompt from a voice that other tools made for this very model.

        name: of one of info.prompt_forms. tensor: float32 or int16, as that form has it. Raises EmbeddingUnusable, also for numbers that
        are not finite and codes that their books do not have. Its source_digest is adopted_digest(name, tensor).
        """
        raise EmbeddingUnusable(sentence="embedding_untaken", engine=self.info.title)

    def preset(self, name: str) -> SpeakerPrompt:
        """The prompt of a built-in speaker, or of a blend of them, where info.blends_presets.

        name: of a blend the text of its PresetBlend. Raises PresetUnknown, BlendInvalid. Its source_digest begins with preset_digest(name).
        """
        known = ", ".join(self.info.presets) or "none"
        raise PresetUnknown(hint=f"Built-in speakers: {known}.", name=name, engine=self.info.title)

    def warmup(self) -> None:  # noqa: B027 - an engine that computes nothing ahead has nothing to warm up
        """Compute what the first request would otherwise wait for (graph captures, pools). Called once, before it counts as ready."""

    def prepare(self, prompt: SpeakerPrompt) -> None:
        """Compute and keep the device state (L1) that the first stream with this prompt would compute. Optional, idempotent."""
        self.check_prompt(prompt)

    def forget(self, content_digest: str) -> None:  # noqa: B027 - an engine without device state has nothing to drop
        """Drop the device state of the prompt with this `content_digest`; it need not be there."""

    def keep_only(self, source_digests: Collection[str]) -> None:  # noqa: B027
        """Take back what was left elsewhere, in whatever process's name, of any other source than these (SpeakerPrompt.source_digest)."""

    def health(self) -> EngineHealth:
        """How well is what does the work. Waits for nothing; asked for every status."""
        return WELL

    def memory_bytes(self) -> int:
        """Bytes that weights and prepared states hold on the engine's device (an estimate is fine)."""
        return 0

    def make_prompt(
        self,
        source_digest: str,
        tensors: Mapping[str, np.ndarray],
        transcript: Transcript | None = None,
        facts: Mapping[str, Fact] | None = None,
    ) -> SpeakerPrompt:
        """A prompt signed with this engine's id, revision, weights and precision."""
        return SpeakerPrompt(
            engine=self.info.id,
            extractor_revision=self.info.extractor_revision,
            weights_fingerprint=self.weights_fingerprint,
            numeric_mode=self.numeric_mode,
            source_digest=source_digest,
            tensors=tensors,
            transcript=transcript,
            facts=facts or {},
        )

    def check_clip(self, clip: Clip) -> None:
        """Raises ClipsUnsupported, and ClipUnusable for a clip outside of info's bounds, or a silent one: what needs no analysis."""
        if not self.info.clones_clips:
            raise ClipsUnsupported(engine=self.info.title)
        least = self.info.least_clip_seconds
        if clip.seconds < least:
            raise ClipUnusable("clip_too_short", seconds=clip.seconds, least_seconds=least)
        self.check_source(clip)

    def check_source(self, clip: Clip) -> None:
        """Raises ClipUnusable for a clip that is too long to be learned from, or said again, or silent; it may be as short as it likes."""
        most = self.info.most_clip_seconds
        if clip.seconds > most:
            raise ClipUnusable("clip_too_long", seconds=clip.seconds, most_seconds=most)
        check_audible(clip)

    def check_prompt(self, prompt: SpeakerPrompt) -> None:
        """Raises PromptInvalid unless this engine, with these weights and this revision, made the prompt."""
        mine = (self.info.id, self.info.extractor_revision, self.weights_fingerprint, self.numeric_mode)
        theirs = (prompt.engine, prompt.extractor_revision, prompt.weights_fingerprint, prompt.numeric_mode)
        if mine != theirs:
            raise PromptInvalid(detail=f"it was made by {theirs}, this engine is {mine}", engine=self.info.title)


def _advanced(stream: Iterator[np.ndarray]) -> StepResult:
    try:
        return next(stream)
    except StopIteration as end:
        return end.value if isinstance(end.value, SpeechEnd) else ENDED
    except Exception as error:
        return error
