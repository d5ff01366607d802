"""FarSpeech: one speech, piece by piece, from the first server of a fleet that gives any sound of it."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, nullcontext
from dataclasses import dataclass

import httpx
import numpy as np

from engines.errors import EngineFailed
from engines.remote.fleet import ServerFleet
from engines.remote.heard_sound import HeardSound
from engines.remote.member import FleetMember, Unanswered, failure_of
from engines.remote.refusals import Refusals
from engines.remote.registered_speakers import FarSpeaker, RegisteredSpeakers
from engines.remote.wav_reader import WavUnreadable
from engines.remote.wire import RemoteUtterance, ServerRefusal, SpeechWire, is_audio, refusal_of

__all__ = ["FarSpeech", "FarSpeechTerms", "FirstSound"]

LEAST_SECONDS = 0.02  # of sound within a gap: a server that sends a byte now and then stands still
TAIL_SECONDS = 0.5  # for what stands behind a sound that is whole, which nobody waits for


@dataclass(frozen=True)
class FirstSound:
    """seconds: from sending the text, to the server that answered, until its first sound."""

    seconds: float


FarPiece = FirstSound | np.ndarray


@dataclass(frozen=True)
class FarSpeechTerms:
    """sample_rate: of what is yielded, Hz. first_audio_seconds: until the first sound; gap_seconds: between two pieces of it."""

    sample_rate: int
    first_audio_seconds: float
    gap_seconds: float


@dataclass(frozen=True)
class _BegunAnswer:
    response: httpx.Response
    sent_at: float  # by the loop's clock


class FarSpeech:
    """Speaks through a fleet, any number of speeches at once. Lives on the loop of the members."""

    def __init__(
        self,
        fleet: ServerFleet,
        speakers: RegisteredSpeakers,
        wire: SpeechWire,
        refusals: Refusals,
        terms: FarSpeechTerms,
    ):
        self._fleet, self._speakers, self._wire, self._refusals, self._terms = fleet, speakers, wire, refusals, terms

    async def pieces(self, utterance: RemoteUtterance, speaker: FarSpeaker | None, key: str) -> AsyncGenerator[FarPiece, None]:
        """FirstSound, then (T,) float32 in [-1, 1]. Servers are asked in turn until one gives sound; then it is that one's to finish.

        speaker: to be registered under utterance.speaker first; None for a preset, or a recording that comes with the request. key: what
        chooses the server. Raises CallerMistake, EngineUnreachable, EngineUnavailable, and EngineFailed where sound broke off.
        """
        with self._refusals.of_the_disk(), self._speakers.spoken(speaker) if speaker else nullcontext():
            async with aclosing(self._in_turn(utterance, speaker, key)) as pieces:
                async for piece in pieces:
                    yield piece

    async def _in_turn(self, utterance: RemoteUtterance, speaker: FarSpeaker | None, key: str) -> AsyncGenerator[FarPiece, None]:
        failures: list[Unanswered] = []
        for n_before, member in enumerate(self._fleet.order(key)):
            async with aclosing(self._attempt(member, utterance, speaker, failures)) as pieces:
                async for piece in pieces:
                    yield piece
            if len(failures) == n_before:
                return
        raise self._refusals.nobody(failures)

    async def _attempt(
        self, member: FleetMember, utterance: RemoteUtterance, speaker: FarSpeaker | None, failures: list[Unanswered]
    ) -> AsyncGenerator[FarPiece, None]:
        """From one server; nothing, and a failure more, where it gave no sound."""
        try:
            async with aclosing(self._from(member, utterance, speaker)) as pieces:
                async for piece in pieces:
                    yield piece
        except Unanswered as failure:
            failures.append(failure)

    async def _from(self, member: FleetMember, utterance: RemoteUtterance, speaker: FarSpeaker | None) -> AsyncGenerator[FarPiece, None]:
        """From one server. Raises Unanswered before the first sound alone."""
        with member.busy():
            try:
                answer = await self._answer(member, utterance, speaker)
            except Unanswered as failure:
                self._count(member, failure)
                raise
            async with aclosing(answer.response), aclosing(self._sound(member, answer)) as pieces:
                async for piece in pieces:
                    yield piece

    async def _answer(self, member: FleetMember, utterance: RemoteUtterance, speaker: FarSpeaker | None) -> _BegunAnswer:
        """A server's answer of which sound is expected. One that forgot the speaker is given it again, once."""
        await self._make_sure(member, utterance, speaker)
        was_lost = False
        while True:
            if speaker is not None:
                await self._speakers.register(member, speaker)
            else:
                await self._speakers.settle(member)
            sent_at, says_task = asyncio.get_running_loop().time(), member.takes_task
            response = await self._asked(member, self._wire.speech_body(utterance, says_task=says_task))
            if response.is_success:
                return _BegunAnswer(response, sent_at)
            refusal = refusal_of(response, self._refusals.secret, utterance.speaker if speaker else "")
            if refusal.concern == "task" and says_task:
                member.takes_task = False
            elif speaker is None or was_lost or not await self._speakers.is_lost(member, speaker, refusal):
                raise self._refused(refusal, utterance, speaker)
            else:
                was_lost = True

    async def _make_sure(self, member: FleetMember, utterance: RemoteUtterance, speaker: FarSpeaker | None) -> None:
        """That this server has the voice, before some other is heard from it. Raises Unanswered."""
        if member.is_open:
            await self._fleet.admit(member)
        is_preset = speaker is None and not utterance.recording
        if is_preset and member.presets is not None and utterance.speaker not in member.presets:
            raise Unanswered("does not have the voice", error=self._refusals.no_preset(utterance.speaker))

    async def _asked(self, member: FleetMember, body: dict[str, object]) -> httpx.Response:
        """An answer of which sound is expected, or a refusal that was read. Raises Unanswered."""
        seconds = self._terms.first_audio_seconds
        response = await member.send("POST", self._wire.speech_path, seconds, json=body)
        if response.is_success and is_audio(response):
            return response
        refusal = await member.read(response, seconds)
        if refusal.is_success:
            raise Unanswered("answered without sound", error=self._refusals.unreadable("is no sound"))
        return refusal

    def _refused(self, refusal: ServerRefusal, utterance: RemoteUtterance, speaker: FarSpeaker | None) -> Exception:
        preset = "" if speaker is not None or utterance.recording else utterance.speaker
        return self._refusals.of(refusal, preset, str(utterance.options.get("language") or ""))

    async def _sound(self, member: FleetMember, answer: _BegunAnswer) -> AsyncGenerator[FarPiece, None]:
        loop, sound = asyncio.get_running_loop(), HeardSound(self._terms.sample_rate)
        body = answer.response.aiter_bytes()
        deadline, counted_seconds = answer.sent_at + self._terms.first_audio_seconds, 0.0
        try:
            while data := await _next(body, deadline):
                samples = sound.push(data)
                if sound.seconds and not counted_seconds:
                    member.answered()
                    yield FirstSound(loop.time() - answer.sent_at)
                begun = loop.time()
                if len(samples):
                    yield samples
                deadline += loop.time() - begun  # a listener who has enough holds up no clock
                if sound.seconds - counted_seconds >= (LEAST_SECONDS if counted_seconds else 1e-9):
                    deadline, counted_seconds = loop.time() + self._terms.gap_seconds, sound.seconds
                if sound.is_whole:
                    deadline = min(deadline, loop.time() + TAIL_SECONDS)
        except (Unanswered, WavUnreadable) as failure:
            if not sound.is_whole:
                raise self._failed(member, sound, failure) from None
        if not sound.seconds:
            raise self._failed(member, sound, Unanswered("gave no sound", error=self._refusals.no_sound()))
        if sound.is_short():
            raise self._failed(member, sound, Unanswered("sent less than it had promised"))
        if len(rest := sound.finish()):
            yield rest

    def _failed(self, member: FleetMember, sound: HeardSound, failure: Unanswered | WavUnreadable) -> Unanswered | EngineFailed:
        """Before the first sound another server may be asked; what was heard cannot be unheard, so behind it there is no second take."""
        if isinstance(failure, WavUnreadable):
            failure = Unanswered(f"sent what {failure}", error=self._refusals.unreadable(str(failure)))
        self._count(member, failure)
        return self._refusals.broke_off(sound.seconds, failure.reason) if sound.seconds else failure

    def _count(self, member: FleetMember, failure: Unanswered) -> None:
        """One that refuses, or says when to come back, answers."""
        if failure.error is None and failure.retry_after_seconds is None:
            self._fleet.failed(member, failure.reason)


async def _next(body: AsyncIterator[bytes], deadline: float) -> bytes:
    """The next bytes, b"" behind the last. Raises Unanswered."""
    started = time.monotonic()
    try:
        async with asyncio.timeout_at(deadline):
            return await anext(body, b"")
    except TimeoutError:
        raise Unanswered(f"sent nothing for {time.monotonic() - started:.0f} s") from None
    except httpx.HTTPError as error:
        raise Unanswered(failure_of(error)) from None
