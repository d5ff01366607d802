"""LiveKit's plugin of OpenAI: mp3 by events at its defaults, mp3 and opus as bytes, pcm. It decodes by itself, and gives samples."""

from hearing import TEXT, Sound, case, run_block, tell
from livekit.agents import APIConnectOptions
from livekit.agents.utils import http_context
from livekit.plugins import openai


async def spoken(sound: Sound, **asked: object) -> None:
    async with http_context.open():
        tts = run_block()["tts"]
        if asked:
            tts = openai.TTS(client=tts._client, **asked)
        async with tts.synthesize(TEXT, conn_options=APIConnectOptions(max_retry=0, timeout=60)) as stream:
            async for heard in stream:
                sound.rate_hz = heard.frame.sample_rate
                sound.add(bytes(heard.frame.data))
        await tts.aclose()


@case("its defaults: events of mp3", format="pcm", streams=True, voice="high")
async def defaults(sound: Sound) -> None:
    await spoken(sound)


@case("tts-1: mp3 as bytes", format="pcm", streams=True, voice="high")
async def mp3(sound: Sound) -> None:
    await spoken(sound, model="tts-1")


@case("opus", format="pcm", streams=True, voice="high")
async def opus(sound: Sound) -> None:
    await spoken(sound, response_format="opus")


@case("wav", format="pcm", voice="high")
async def wav(sound: Sound) -> None:
    await spoken(sound, response_format="wav")


@case("pcm", format="pcm", streams=True, voice="high")
async def pcm(sound: Sound) -> None:
    await spoken(sound, response_format="pcm")


@case("another voice", format="pcm", voice="low")
async def another(sound: Sound) -> None:
    await spoken(sound, voice="am_michael")


tell()
