"""LiteLLM: OpenAI's provider at another address, whole and as a stream, as the library and as its proxy ask for it."""

import litellm
from hearing import KEY, PRINTED, PRINTED_FILE, TEXT, Sound, address, case, run_block, tell


@case("as printed", format="mp3", voice="high")
def as_printed(sound: Sound) -> None:
    sound.text = PRINTED
    run_block()
    sound.add(PRINTED_FILE.read_bytes())


def asked() -> dict:
    return {"model": "openai/gpt-4o-mini-tts", "voice": "alloy", "input": TEXT, "api_base": address(), "api_key": KEY, "max_retries": 0}


@case("wav", format="wav", voice="high")
def wav(sound: Sound) -> None:
    sound.add(litellm.speech(**asked(), response_format="wav").content)


@case("asynchronous", format="mp3", voice="high")
async def asynchronous(sound: Sound) -> None:
    """What its proxy awaits, and hands on piece by piece."""
    answer = await litellm.aspeech(**asked())
    for piece in answer.iter_bytes(chunk_size=1024):
        sound.add(piece)


tell()
