"""Muxing: speech into a video. Packets of its picture are copied as they are, with their times, rotation and what it says of itself."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from studio.audio.formats import to_pcm16
from studio.audio.true_peak import PeakLimiter
from studio.errors import VideoUnreadable
from studio.scripts.dubbing.order import KeptSound
from studio.scripts.dubbing.original_sound import DuckingCurve, OriginalSound
from studio.scripts.dubbing.video import Container, main_picture, open_video, read_video

if TYPE_CHECKING:
    from av import AudioStream, Packet
    from av.container import InputContainer, OutputContainer
    from av.stream import Stream
    from av.subtitles.stream import SubtitleStream

__all__ = ["DUB_RATE_HZ", "DubbedSpeech", "ShownText", "mux_speech"]

DUB_RATE_HZ = 48_000  # of videos' sound
PEAK_DBTP = -1.0  # EBU R 128
_BLOCK_SAMPLES = 4_800
_AHEAD_SECONDS = 1.0  # speech is written so far before the picture at most, so that players find both
_BITS_PER_SECOND = {"mono": 96_000, "stereo": 160_000}
_DROPPED = ("major_brand", "minor_version", "compatible_brands", "encoder", "ENCODER", "DURATION", "vendor_id")
_TEXT_BASE = Fraction(1, 1000)
# FFmpeg's encoders of text tracks take events of ASS, whose columns and one style this names.
_ASS_HEADER = b"""[Script Info]
ScriptType: v4.00+

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, StrikeOut, \
ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
Style: Default,Arial,16,&Hffffff,&Hffffff,&H0,&H0,0,0,0,0,100,100,0,0,1,1,0,2,10,10,10,0

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
"""


@dataclass(frozen=True)
class ShownText:
    """A subtitle, seconds of the video."""

    start: float
    end: float
    text: str


@dataclass(frozen=True)
class DubbedSpeech:
    """blocks: (T,) float32 at DUB_RATE_HZ from the beginning of the video on, n_samples in all. spoken: (start, end) seconds of lines, by
    their starts. language: ISO 639-2, "" where it is not known. title: of the track, for choosers of players.
    """

    blocks: Iterator[np.ndarray] = field(repr=False)
    n_samples: int
    spoken: tuple[tuple[float, float], ...] = ()
    shown: tuple[ShownText, ...] = ()
    language: str = ""
    title: str = ""


def mux_speech(video: Path, out: Path, speech: DubbedSpeech, kept: KeptSound, kept_db: float) -> tuple[str, ...]:
    """Writes `out`, in the container that `read_video` tells. The sound is as long as the video; what is said beyond its end is kept.

    kept: what becomes of the video's own sound: a second track, mixed kept_db under the speech, or turned down by kept_db while somebody
    speaks. Returns what of the video is not in it, kinds of streams. Raises what `read_video` and the blocks raise.
    """
    import av

    facts = read_video(video)
    with ExitStack() as held:
        source = held.enter_context(open_video(video))
        options = {"movflags": "+faststart"} if facts.container.muxer in ("mp4", "mov") else {}
        target = held.enter_context(av.open(str(out), "w", format=facts.container.muxer, options=options))
        under = held.enter_context(OriginalSound(video, DUB_RATE_HZ)) if kept in ("under", "duck") and facts.has_sound else None
        n_samples = max(speech.n_samples, round(facts.seconds * DUB_RATE_HZ))
        alone = _as_long(speech.blocks, n_samples)
        sound = (block[None] for block in alone) if under is None else _mixed(alone, under, _gains(speech, kept, kept_db))
        dub = _Dub(source, target, facts.container, speech, 1 if under is None else under.n_channels)
        return dub.write(sound, keeps_track=kept == "track")


def _as_long(blocks: Iterable[np.ndarray], n_samples: int) -> Iterator[np.ndarray]:
    """(T,) float32, T up to _BLOCK_SAMPLES, n_samples in all: silence behind."""
    left = n_samples
    for block in blocks:
        for start in range(0, len(block), _BLOCK_SAMPLES):
            piece = block[start : start + _BLOCK_SAMPLES]
            left -= len(piece)
            yield piece
    while left > 0:
        yield np.zeros(min(left, _BLOCK_SAMPLES), np.float32)
        left -= _BLOCK_SAMPLES


def _gains(speech: DubbedSpeech, kept: KeptSound, kept_db: float) -> DuckingCurve:
    always = ((0.0, float("inf")),)
    return DuckingCurve(speech.spoken if kept == "duck" else always, kept_db)


def _mixed(blocks: Iterable[np.ndarray], under: OriginalSound, curve: DuckingCurve) -> Iterator[np.ndarray]:
    """(C, T) float32. Channels are limited each by itself."""
    limiters = [PeakLimiter(DUB_RATE_HZ, PEAK_DBTP) for _ in range(under.n_channels)]
    n = 0
    for block in blocks:
        mixed = block + curve.gains(n, len(block), DUB_RATE_HZ) * under.take(len(block))
        n += len(block)
        yield np.stack([limiter.push(channel) for limiter, channel in zip(limiters, mixed, strict=True)])
    yield np.stack([limiter.finish() for limiter in limiters])


class _Dub:
    """Writes one video. source: whose packets are copied. Its times begin at `_begins`, and stay."""

    def __init__(self, source: "InputContainer", target: "OutputContainer", container: Container, speech: DubbedSpeech, n_channels: int):
        self._source, self._target, self._container, self._speech = source, target, container, speech
        self._begins = Fraction(source.start_time or 0, 1_000_000)
        self._layout = "stereo" if n_channels == 2 else "mono"
        self._sound = cast("AudioStream", None)
        self._text: SubtitleStream | None = None
        self._shown = list(reversed(speech.shown))
        self._n_samples = 0

    def write(self, sound: Iterator[np.ndarray], *, keeps_track: bool) -> tuple[str, ...]:
        copies, left_out = self._streams(keeps_track=keeps_track)
        self._target.metadata.update(_kept_facts(self._source.metadata))
        self._target.set_chapters(self._source.chapters())
        self._target.start_encoding()
        for packet in _timed(self._source, [self._source.streams[index] for index in copies]):
            now = Fraction(packet.dts or 0) * packet.time_base - self._begins
            self._speak(sound, float(now) + _AHEAD_SECONDS)
            packet.stream = copies[packet.stream.index]
            self._target.mux(packet)
        self._speak(sound, float("inf"))
        self._mux(self._sound.encode(None))
        return left_out

    def _streams(self, *, keeps_track: bool) -> tuple[Mapping[int, "Stream"], tuple[str, ...]]:
        """(streams of the video, by number -> the same in the target, kinds of those left out). The speech comes first of sounds."""
        from av.stream import Disposition

        picture = main_picture(self._source)
        copies: dict[int, Stream] = {picture.index: self._copy(picture)}
        self._sound = self._speech_stream()
        left_out: list[str] = []
        for stream in self._source.streams:
            if stream.index == picture.index or (stream.type == "audio" and not keeps_track):
                continue
            if stream.type not in ("audio", "subtitle"):
                left_out.append(stream.type)
                continue
            try:
                copies[stream.index] = copy = self._copy(stream)
            except ValueError:  # the container does not know its codec
                left_out.append(stream.type)
                continue
            if stream.type == "audio":
                copy.disposition = stream.disposition & ~Disposition.default
        self._text = self._text_stream() if self._speech.shown else None
        return copies, tuple(left_out)

    def _copy(self, stream: "Stream") -> "Stream":
        copy = self._target.add_stream_from_template(stream)
        copy.disposition = stream.disposition
        copy.metadata.update(_kept_facts(stream.metadata))
        return copy

    def _speech_stream(self) -> "AudioStream":
        from av.stream import Disposition

        stream = cast("AudioStream", self._target.add_stream(self._container.sound, rate=DUB_RATE_HZ, layout=self._layout))
        stream.bit_rate = _BITS_PER_SECOND[self._layout]
        stream.disposition = Disposition.default
        self._name(stream)
        return stream

    def _text_stream(self) -> "SubtitleStream":
        stream = cast("SubtitleStream", self._target.add_stream(self._container.subtitles))
        context = stream.codec_context
        context.subtitle_header = _ASS_HEADER.replace(b"\n", b"\r\n")
        context.time_base = stream.time_base = _TEXT_BASE
        self._name(stream)
        return stream

    def _name(self, stream: "Stream") -> None:
        if self._speech.language:
            stream.metadata["language"] = self._speech.language
        if self._speech.title:
            stream.metadata["title"] = stream.metadata["handler_name"] = self._speech.title

    def _speak(self, sound: Iterator[np.ndarray], until_seconds: float) -> None:
        """Sound and text up to there, or all of them."""
        while self._n_samples < until_seconds * DUB_RATE_HZ and (block := next(sound, None)) is not None:
            if block.shape[1]:
                self._mux(self._sound.encode(self._frame(block)))
        while self._shown and self._shown[-1].start < until_seconds:
            self._show(self._shown.pop())

    def _frame(self, block: np.ndarray):
        import av

        pcm = np.frombuffer(to_pcm16(block.T.reshape(-1)), "<i2")[None]
        frame = av.AudioFrame.from_ndarray(pcm, format="s16", layout=self._layout)
        frame.sample_rate, frame.time_base = DUB_RATE_HZ, Fraction(1, DUB_RATE_HZ)
        frame.pts = round(self._begins * DUB_RATE_HZ) + self._n_samples
        self._n_samples += block.shape[1]
        return frame

    def _show(self, shown: ShownText) -> None:
        from av.subtitles.subtitle import SubtitleSet

        assert self._text is not None
        start, end = (round((Fraction(each) + self._begins) / _TEXT_BASE) for each in (shown.start, shown.end))
        text = shown.text.replace("{", "(").replace("}", ")").replace("\\", "/").replace("\n", "\\N")  # which ASS takes for commands
        event = SubtitleSet.create(f"0,0,Default,,0,0,0,,{text}".encode(), 0, end - start, pts=start * 1000)
        packet = self._text.codec_context.encode_subtitle(event)
        packet.stream, packet.time_base = self._text, _TEXT_BASE
        packet.pts = packet.dts = start
        packet.duration = end - start
        self._target.mux(packet)

    def _mux(self, packets: Iterable["Packet"]) -> None:
        for packet in packets:
            self._target.mux(packet)


def _timed(source: "InputContainer", streams: list["Stream"]) -> Iterator["Packet"]:
    """Packets in their order, each with a decoding time. Matroska states none, and FFmpeg guesses none for those before the first picture
    that is shown out of order: they come a frame apart before the first one known."""
    import av.error

    early: dict[int, list[Packet]] = {}
    known: set[int] = set()
    try:
        for packet in source.demux(streams):
            if not packet.size:
                continue
            index = packet.stream.index
            if packet.dts is None and index not in known:
                early.setdefault(index, []).append(packet)
                continue
            if index not in known:
                known.add(index)
                yield from _dated(early.pop(index, []), packet.dts)
            yield packet
    except av.error.FFmpegError as error:
        raise VideoUnreadable() from error
    for packets in early.values():
        yield from _dated(packets, None)


def _dated(packets: list["Packet"], first_known: int | None) -> Iterator["Packet"]:
    for n, packet in enumerate(packets):
        packet.dts = packet.pts if first_known is None else first_known - (len(packets) - n) * max(1, packet.duration or 1)
        yield packet


def _kept_facts(metadata: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in metadata.items() if name not in _DROPPED}
