"""Wyoming's own client: what a server can, speech of a whole text, and of a text that comes piece by piece, as Home Assistant sends it."""

from hearing import GIVEN, TEXT, Sound, case, tell
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.client import AsyncClient
from wyoming.error import Error
from wyoming.info import Describe, Info
from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStart, SynthesizeStop, SynthesizeStopped, SynthesizeVoice

WAIT_SECONDS = 60


def client() -> AsyncClient:
    assert GIVEN["wyoming"], "this studio has no --wyoming"
    return AsyncClient.from_uri(GIVEN["wyoming"], connect_timeout=10, read_timeout=WAIT_SECONDS)


async def described() -> Info:
    async with client() as asked:
        await asked.write_event(Describe().event())
        while event := await asked.read_event():
            if Info.is_type(event.type):
                return Info.from_event(event)
    raise AssertionError("no info")


async def listen(asked: AsyncClient, sound: Sound, last: type) -> list[str]:
    kinds = []
    while event := await asked.read_event():
        kinds.append(event.type)
        assert not Error.is_type(event.type), event.data
        if AudioStart.is_type(event.type):
            sound.rate_hz = AudioStart.from_event(event).rate
        elif AudioChunk.is_type(event.type):
            chunk = AudioChunk.from_event(event)
            assert (chunk.width, chunk.channels, chunk.rate) == (2, 1, sound.rate_hz)
            sound.add(chunk.audio)
        if last.is_type(event.type):
            return kinds
    raise AssertionError(f"it hung up after {kinds}")


@case("what it can", format="")
async def info(sound: Sound) -> None:
    (program, *_) = (await described()).tts
    assert program.supports_synthesize_streaming and program.voices and all(voice.languages for voice in program.voices)
    languages = {language for voice in program.voices for language in voice.languages}
    sound.note = f"{program.name}: {len(program.voices)} voices, {len(languages)} languages"


@case("a whole text, its defaults", format="pcm", streams=True, voice="high")
async def whole(sound: Sound) -> None:
    async with client() as asked:
        await asked.write_event(Synthesize(text=TEXT).event())
        await listen(asked, sound, AudioStop)


@case("a voice that it names", format="pcm", voice="low")
async def named(sound: Sound) -> None:
    voices = [voice.name for program in (await described()).tts for voice in program.voices]
    name = next(name for name in voices if "michael" in name.lower())
    async with client() as asked:
        await asked.write_event(Synthesize(text=TEXT, voice=SynthesizeVoice(name=name)).event())
        await listen(asked, sound, AudioStop)


@case("text piece by piece", format="pcm", streams=True, voice="high")
async def piecewise(sound: Sound) -> None:
    """The rest of the text is sent when its first sound is heard. Home Assistant sends the whole behind it too: it is not said twice."""
    words = [f"{word} " for word in TEXT.split(" ")]
    async with client() as asked:
        await asked.write_event(SynthesizeStart().event())
        for word in words[:-3]:
            await asked.write_event(SynthesizeChunk(text=word).event())
        await listen(asked, sound, AudioChunk)
        for word in words[-3:]:
            await asked.write_event(SynthesizeChunk(text=word).event())
        await asked.write_event(Synthesize(text=TEXT).event())
        await asked.write_event(SynthesizeStop().event())
        kinds = await listen(asked, sound, SynthesizeStopped)
    assert kinds[-1] == "synthesize-stopped" and "audio-stop" in kinds and "audio-start" not in kinds, kinds


tell()
