"""A text becomes samples, piece by piece: the plan and the decoder's front of a whole piece, then the generator in windows that grow.

Windows stand at fixed places, whoever listens. The norms of the generator are those that were recorded for the voice, so that a window does
not depend on what is said around it beyond what the generator sees.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from engines.contract.contract import YIELD_POINT
from engines.errors import TextUnspeakable
from engines.kokoro.network.generator import NormScales
from engines.kokoro.network.networks import KokoroNetworks, KokoroPlan
from engines.kokoro.network.row_flow import WindowFlow
from engines.kokoro.stated_words import HALF_FRAME_SAMPLES, SILENT_BEHIND, NumberedPart, StatedWords
from engines.kokoro.symbols import numbers_of, read_phones, symbols_of
from engines.kokoro.voices.voice_table import voice_table
from engines.text.spoken_pieces import pieces, speakable

__all__ = ["SpeechParams", "SpokenVoice", "front_of", "front_row", "moved_plan", "planned", "prepared", "stream"]

WINDOWS = (16, 16, 32, 64, 128)  # half frames of 12.5 ms; the last for ever. The first gives 0.1 s: the generator sees so far ahead
# Silence that stays, in half frames: before a piece, between two, behind the last. Kokoro itself begins with 0.2 to 0.3 s of it.
BEFORE, BETWEEN, BEHIND = 2, 30, 8
# Of the plan's energy. Below -4 there are peaks under -50 dB of full scale; a soft "sh" begins at -3.
SILENT_BEFORE = -4.0
AUDIBLE, FADE_SAMPLES = 0.005, 480  # of a sample's size, -46 dB; what stays before the first that has it
FRONT_SHARE = 0.8  # of a learned timbre in the decoder's front: a little more alike and more natural than none (studio/measure/DIARY.md)
VOICED_HZ = 60.0
F0_RANGE_HZ = (50.0, 600.0)
TIMBRE_SYMBOLS = 100  # the row of a table that the generator takes: a timbre hardly changes with the length (standard deviation 0.02 of 2)


@dataclass(frozen=True, eq=False)
class SpokenVoice:
    """scales: of the generator's norms. front: formula of the built-in voice whose articulation and melody are taken.

    median_hz: where the melody lies; None for that of the front. timbre: (1, S) of a learned voice, of which the front takes its share.
    gain: of the samples.
    """

    scales: NormScales
    front: dict[str, float]
    median_hz: float | None = None
    timbre: Tensor | None = None
    gain: float = 1.0

    @property
    def bytes(self) -> int:
        """Memory that its scales hold."""
        return sum(part.nbytes for pair in self.scales.values() for part in pair)


@dataclass(frozen=True)
class SpeechParams:
    """language: of the symbols. speed: 1 is the front's own."""

    language: str
    speed: float = 1.0
    semitones: float = 0.0


def stream(networks: KokoroNetworks, text: str, voice: SpokenVoice, params: SpeechParams) -> Iterator[np.ndarray]:
    """(T,) float32 blocks at 24 kHz, the first of 0.1 s. Raises TextUnspeakable."""
    waiting: NumberedPart | None = None
    said = read_phones(speakable(text), params.language)
    words = StatedWords(text, said, params.language)
    for piece, _ in pieces(said):
        for part in _numbered(piece, params.language, networks):
            if waiting is not None:
                yield from _piece(networks, waiting, voice, params, words, is_last=False)
            waiting = part
    if waiting is None:
        raise TextUnspeakable(sentence="text_unreadable")
    yield from _piece(networks, waiting, voice, params, words, is_last=True)


def _numbered(piece: str, language: str, networks: KokoroNetworks) -> Iterator[NumberedPart]:
    """What the network reads of a piece, in as many parts as it has room for; cut at a space where there is one. No part is marks alone."""
    whole, most = symbols_of(piece, language).symbols, networks.config.most_symbols
    at = 0
    while at < len(whole):
        cut = len(whole) if len(whole) - at <= most else whole.rfind(" ", at + 1, at + most) + 1 or at + most
        rest = whole[at:cut].lstrip()
        part, first, at = rest.rstrip(), cut - len(rest), cut
        if any(symbol.isalpha() for symbol in part):
            yield NumberedPart(numbers_of(part, networks.config.vocab), piece, whole, first)


def _piece(
    networks: KokoroNetworks, part: NumberedPart, voice: SpokenVoice, params: SpeechParams, words: StatedWords, *, is_last: bool
) -> Iterator[np.ndarray]:
    plan, style = moved_plan(*planned(networks, part.numbers, voice.front, params.speed), voice, params.semitones)
    rows = _audible(plan.energy[0], BEHIND if is_last else BETWEEN)
    features, source = prepared(networks, plan, style, rows)
    yield YIELD_POINT
    flow, at, sizes = WindowFlow(), 0, list(WINDOWS)
    n_rows, per_row, is_heard = features.shape[1], networks.config.columns_per_half_frame, False
    while at < n_rows:
        end = min(n_rows, at + (sizes.pop(0) if len(sizes) > 1 else sizes[0]))
        is_end = end == n_rows
        flow.begin(is_last=is_end)
        samples = _window(networks, features[:, at:end], source[:, per_row * at : per_row * end + is_end], voice, flow)
        sounding = np.flatnonzero(np.abs(samples) > AUDIBLE)
        if is_heard:
            words.handed_out(len(samples))
            yield samples
        elif len(sounding):
            n_dropped = max(0, int(sounding[0]) - FADE_SAMPLES)
            n_before = words.handed_out(len(samples) - n_dropped)
            yield samples[n_dropped:]
            is_heard = True  # and only then its words are looked for: nobody waits for them as for the sound
            words.state(part, plan, n_before - (rows.start + at) * HALF_FRAME_SAMPLES - n_dropped)
        at = end


@torch.inference_mode()
def _window(networks: KokoroNetworks, features: Tensor, source: Tensor, voice: SpokenVoice, flow: WindowFlow) -> np.ndarray:
    generator = networks.decoder.generator
    samples = generator.samples(generator.spectrum(features, source, voice.scales, flow), flow)
    return samples[0].mul_(voice.gain).clamp_(-1, 1).numpy()


@torch.inference_mode()
def planned(networks: KokoroNetworks, numbers: list[int], front: dict[str, float], speed: float = 1.0) -> tuple[KokoroPlan, Tensor]:
    """The plan of a piece as the built-in voice of that formula would say it, and its style of the decoder's front, (1, S)."""
    style, symbols = front_row(front, len(numbers) - 2), torch.tensor([numbers])
    encoded, lengths = networks.encode(symbols, style)
    plan = networks.plan(symbols, encoded, torch.round(lengths / speed).clamp(min=1).long(), style)
    return plan, style[:, : networks.config.style]


@torch.inference_mode()
def moved_plan(plan: KokoroPlan, style: Tensor, voice: SpokenVoice, semitones: float = 0.0) -> tuple[KokoroPlan, Tensor]:
    """Both as that voice says it: at its pitch, with its share of the front."""
    front = style if voice.timbre is None else front_of(style, voice.timbre)
    return replace(plan, f0=_moved(plan.f0, voice.median_hz, semitones)), front


@torch.inference_mode()
def prepared(networks: KokoroNetworks, plan: KokoroPlan, style: Tensor, rows: slice) -> tuple[Tensor, Tensor]:
    """What the generator takes of these half frames: (1, N, D), and of the source 60 rows for each, and one."""
    per_row = networks.config.columns_per_half_frame
    source = networks.decoder.generator.source(plan.f0)[:, per_row * rows.start : per_row * rows.stop + 1]
    return networks.features(plan, style)[:, rows], source.to(networks.dtype)


def _audible(energy: Tensor, behind: int) -> slice:
    """The half frames of (N,) from shortly before the first that sounds to so many behind the last; all where none sounds."""
    sounding, loud = ((energy > least).nonzero()[:, 0] for least in (SILENT_BEFORE, SILENT_BEHIND))
    if not len(loud):
        return slice(0, len(energy))
    return slice(max(0, int(sounding[0]) - BEFORE), min(len(energy), int(loud[-1]) + 1 + behind))


def _moved(f0: Tensor, median_hz: float | None, semitones: float) -> Tensor:
    """The melody (1, N) about another median; what is unvoiced stays."""
    voiced = f0 > VOICED_HZ
    if not voiced.any():
        return f0
    median = f0[voiced].median()
    factor = (1.0 if median_hz is None else median_hz / median) * 2 ** (semitones / 12)
    return torch.where(voiced, (f0 * factor).clamp(*F0_RANGE_HZ), f0)


def front_of(style: Tensor, timbre: Tensor) -> Tensor:
    """(1, S): a front with its share of a learned timbre."""
    return torch.lerp(style, timbre, FRONT_SHARE)


def front_row(weights: dict[str, float], n_symbols: int) -> Tensor:
    """(1, 256): of a blend of built-in voices."""
    return torch.from_numpy(voice_table().row(weights, max(1, n_symbols)))[None]
