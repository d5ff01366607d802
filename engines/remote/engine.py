"""RemoteEngine: the Engine contract on top of a fleet of speech servers.

recording_of: the WAV file of a clip, for a speech server.
"""

import asyncio
import hashlib
import logging
import ssl
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import httpx
import numpy as np
import soxr

from engines.clips.clip import Clip, Transcript
from engines.contract.contract import YIELD_POINT, ChunkStream, Engine, EngineInfo
from engines.contract.health import EngineHealth
from engines.contract.loop_thread import LoopThread
from engines.contract.options import Value, bool_option, float_option, text_option
from engines.contract.prompt import SpeakerPrompt, preset_digest, unreadable
from engines.contract.stream_figures import FAR_TTFP, state
from engines.remote.debt_collector import DebtCollector
from engines.remote.far_speech import FarSpeech, FarSpeechTerms, FirstSound
from engines.remote.fleet import Pauses, ServerFleet
from engines.remote.ledger import LedgerRecord, SpeakerLedger
from engines.remote.member import FleetMember, Unanswered
from engines.remote.refusals import Refusals
from engines.remote.registered_speakers import RECORDING, FarSpeaker, RegisteredSpeakers
from engines.remote.survey import FleetSurvey, ServerList, server_list, survey
from engines.remote.wire import RemoteUtterance, SpeechWire

__all__ = ["RemoteEngine", "recording_of"]

PRESET = "preset"  # the tensor of a prompt that is a name
PREPARED_SERVERS = 2  # those that are asked first: the one, and the one that stands in for it
KEEP_ALIVE_SECONDS = 3.0  # uvicorn's servers close an idle connection after 5
_PAUSES = Pauses()

Concerns = Callable[[LedgerRecord], bool]


class RemoteEngine(Engine):
    """Used by any number of threads at once. A prompt holds the recording itself: nothing is learned here, and it outlives any fleet."""

    numeric_mode = "pcm16"
    device = "elsewhere"

    def __init__(self, info: EngineInfo, addresses: Sequence[str], settings: Mapping[str, Value], pauses: Pauses = _PAUSES):
        """settings: complete load options. Raises EngineUnreachable, EngineUnavailable, OSError for a ledger that cannot be written."""
        model, key = text_option(settings, "model"), text_option(settings, "key")
        self.info = info
        self.weights_fingerprint = hashlib.sha256(f"remote\n{model or info.id}".encode()).hexdigest()
        self._is_inline = bool_option(settings, "inline")
        self._wire, self._refusals = SpeechWire(text_option(settings, "dialect"), model), Refusals(info, model, key)
        ledger = SpeakerLedger(Path(text_option(settings, "ledger")) if settings["ledger"] else None, addresses)
        first_seconds, gap_seconds = float_option(settings, "first_audio_seconds"), float_option(settings, "gap_seconds")
        self._loop, self._is_closed = LoopThread(info.id), False
        with ExitStack() as undo:
            undo.callback(self._loop.close)
            asked = {*addresses, *(address for record in ledger.records() for address in record.states)}
            ledger.give_key(addresses, key)
            self._was_given_key: Callable[[str], bool] = lambda address: ledger.was_given(address, key)
            self._client = self._loop.result(_client(key, asked, float_option(settings, "connect_seconds")))
            undo.callback(lambda: self._loop.result(self._client.aclose()))
            members = [FleetMember(address, self._client) for address in addresses]
            self._fleet = ServerFleet(members, self._check, pauses)
            self._speakers = RegisteredSpeakers(ledger, members, self._wire, self._refusals, first_seconds)
            self._collector = DebtCollector(self._speakers, self._member_at, pauses)
            terms = FarSpeechTerms(info.sample_rate, first_seconds, gap_seconds)
            self._speech = FarSpeech(self._fleet, self._speakers, self._wire, self._refusals, terms)
            self._loop.result(self._begin())
            undo.pop_all()

    def extract(self, clip: Clip, transcript: Transcript | None = None) -> SpeakerPrompt:
        """The clip itself as a file. Asks no server."""
        self.check_clip(clip)
        if self.info.transcript == "required" and transcript is None:
            raise self._refusals.no_words()
        words = None if self.info.transcript == "unused" else transcript
        return self.make_prompt(clip.digest, {RECORDING: recording_of(clip)}, words, {"seconds": round(clip.seconds, 2)})

    def preset(self, name: str) -> SpeakerPrompt:
        if name not in self.info.presets:
            return super().preset(name)
        return self.make_prompt(preset_digest(name), {PRESET: np.frombuffer(name.encode(), np.uint8)})

    def stream(self, text: str, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> ChunkStream:
        self.check_prompt(prompt)
        utterance, speaker = self._utterance(text, prompt, options)
        key = prompt.source_digest if prompt.is_preset else prompt.content_digest
        with closing(self._loop.pieces(lambda: self._speech.pieces(utterance, speaker, key))) as pieces:
            for piece in pieces:
                if isinstance(piece, FirstSound):
                    state(FAR_TTFP, piece.seconds)
                else:
                    yield YIELD_POINT if piece is None else piece

    def prepare(self, prompt: SpeakerPrompt) -> None:
        """Register the speaker at the servers that will be asked first. One that does not answer is left to the stream."""
        self.check_prompt(prompt)
        _, speaker = self._utterance("", prompt, {})
        if speaker is not None:
            with self._refusals.of_the_disk():
                self._loop.result(self._prepare(speaker, prompt.content_digest))

    def forget(self, content_digest: str) -> None:
        """Take the speaker back from every server. What is not there by the end of a few seconds is tried until it is, see ledger.py."""
        self._loop.result(self._forget(lambda record: record.content == content_digest))

    def keep_only(self, source_digests: Collection[str]) -> None:
        kept = frozenset(source_digests)
        self._loop.result(self._forget(lambda record: record.source not in kept))

    def health(self) -> EngineHealth:
        return self._fleet.health()

    def close(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        self._loop.result(self._client.aclose())
        self._loop.close()

    async def _begin(self) -> None:
        """Ask all servers what they have, and begin to deliver what is owed. Raises where none can be spoken with."""
        self._speakers.on_debt = self._collector.collect
        self._fleet.on_return = lambda member: self._collector.nudge(member.address)
        found = await survey(self._fleet.members, self._wire, self._refusals)
        await self._speakers.load({address: one.registered for address, one in found.lists.items()})
        if not found.lists:
            raise self._refusals.nobody(list(found.failures.values()))
        self._take_in(found)

    def _take_in(self, found: FleetSurvey) -> None:
        self._models, self._lists_presets = found.models, not self.info.presets
        for member in self._fleet.members:
            if failure := found.failures.get(member.address):
                self._fleet.failed(member, failure.reason, at_once=True)
            else:
                self._note(member, found.lists[member.address])
        if self._lists_presets:
            self.info = replace(self.info, presets=found.presets, default_preset=found.presets[0] if found.presets else None)
            if found.differ:
                self._fleet.notes.append("Its servers have different built-in voices; those that all have are offered.")
        if not self.info.presets and not self.info.clones_clips:
            raise self._refusals.no_presets()
        self._refusals.info = self.info

    async def _check(self, member: FleetMember) -> None:
        """Whether a server that was left alone still has the model, and which presets it has now. Raises Unanswered."""
        seen = await server_list(member, self._wire, self._refusals)
        if not self._wire.model and self._models and seen.models and not self._models & frozenset(seen.models):
            raise Unanswered("serves another model", error=self._refusals.models_differ())
        self._note(member, seen)

    def _note(self, member: FleetMember, seen: ServerList) -> None:
        member.presets = frozenset(seen.presets) if self._lists_presets else None

    def _utterance(self, text: str, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> tuple[RemoteUtterance, FarSpeaker | None]:
        """What a server is told, and who is to be registered there first."""
        if PRESET in prompt.tensors and prompt.is_preset:
            name = prompt.tensors[PRESET].tobytes().decode()
            if name not in self.info.presets:
                self.preset(name)
            return RemoteUtterance(text, name, options), None
        if RECORDING not in prompt.tensors or not self.info.clones_clips:
            raise unreadable(prompt)
        speaker = FarSpeaker.of(prompt if self.info.transcript != "unused" else prompt.with_transcript(None))
        if self._is_inline:
            return RemoteUtterance(text, "", options, speaker.recording, speaker.words, is_cloned=True), None
        return RemoteUtterance(text, speaker.name, options, is_cloned=True), speaker

    async def _prepare(self, speaker: FarSpeaker, key: str) -> None:
        members = [member for member in self._fleet.order(key)[:PREPARED_SERVERS] if not member.is_open]
        results = await asyncio.gather(*(self._speakers.register(member, speaker) for member in members), return_exceptions=True)
        for result in results:
            error = result.error if isinstance(result, Unanswered) else result
            if isinstance(error, BaseException):
                raise error

    async def _forget(self, concerns: Concerns) -> None:
        addresses = await self._speakers.owe(concerns)
        away = {member.address for member in self._fleet.members if member.is_open}
        await self._collector.first_tries(addresses - away)

    def _member_at(self, address: str) -> FleetMember:
        """One of the fleet, or one that was in it when a speaker was registered there: that gets the key only where it had it already."""
        found = next((member for member in self._fleet.members if member.address == address), None)
        return found or FleetMember(address, self._client, takes_key=self._was_given_key(address))


async def _client(key: str, addresses: Collection[str], connect_seconds: float) -> httpx.AsyncClient:
    """One pool of connections for all servers. Redirects are not followed: the key is for these servers alone. Proxies are not asked for:
    engines read no environment.
    """
    told = logging.getLogger("httpx")  # of each request a line at INFO, at which a studio logs; probes and speeches have lines of their own
    if told.level == logging.NOTSET:
        told.setLevel(logging.WARNING)
    is_secret = any(address.startswith("https:") for address in addresses)
    return httpx.AsyncClient(
        headers={"Accept-Encoding": "identity"} | ({"Authorization": f"Bearer {key}"} if key else {}),
        verify=True if is_secret else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),  # to read all authorities takes 25 ms
        timeout=httpx.Timeout(None, connect=connect_seconds),
        limits=httpx.Limits(max_connections=None, max_keepalive_connections=64, keepalive_expiry=KEEP_ALIVE_SECONDS),
        follow_redirects=False,
        trust_env=False,
    )


# --- a recording


# Hz. No model that is served hears more, and 30 s of it are 2.9 MB: vLLM-Omni 0.30.0 takes 10 MiB.
MOST_RATE = 48_000


def recording_of(clip: Clip) -> np.ndarray:
    """A whole WAV file, (n,) uint8: mono, 16 bits, at the clip's own rate or at MOST_RATE. The same clip gives the same bytes.

    What is louder than full scale is made quieter as a whole. Several recordings follow on each other.
    """
    samples, rate = clip.samples, min(clip.sample_rate, MOST_RATE)
    if rate != clip.sample_rate:
        samples = soxr.resample(samples, clip.sample_rate, rate, quality="HQ")
    samples = samples / max(1.0, float(np.abs(samples).max(initial=0.0)))
    data = np.round(samples * 32_767).astype("<i2").tobytes()
    return np.frombuffer(_header(len(data), rate) + data, np.uint8)


def _header(n_bytes: int, rate: int) -> bytes:
    numbers = ((16, 4), (1, 2), (1, 2), (rate, 4), (2 * rate, 4), (2, 2), (16, 2))  # as "fmt " has them: PCM, one channel, 16 bits
    form = b"".join(number.to_bytes(width, "little") for number, width in numbers)
    return b"RIFF" + (36 + n_bytes).to_bytes(4, "little") + b"WAVEfmt " + form + b"data" + n_bytes.to_bytes(4, "little")
