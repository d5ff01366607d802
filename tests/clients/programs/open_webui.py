"""What Open WebUI asks and how it reads the answers: voices by id and name, models by id, speech at its defaults.

It asks for lists without a key, and takes what it cannot read for no list: then it shows OpenAI's own names.
"""

import json
import urllib.request

from hearing import KEY, TEXT, Sound, address, case, tell


def read(path: str) -> dict:
    with urllib.request.urlopen(urllib.request.Request(address() + path, headers=keyed()), timeout=60) as answer:
        return json.load(answer)


def keyed() -> dict[str, str]:
    return {"Authorization": f"Bearer {KEY}"}


def speak(sound: Sound, body: dict) -> None:
    headers = keyed() | {"Content-Type": "application/json"}
    asked = urllib.request.Request(f"{address()}/audio/speech", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(asked, timeout=120) as answer:
        sound.add(answer.read())


@case("voices by id and name", format="")
def voices(sound: Sound) -> None:
    shown = {voice["id"]: voice["name"] for voice in read("/audio/voices")["voices"]}
    assert shown and all(isinstance(name, str) and name for name in shown.values()), shown
    sound.note = f"{len(shown)} voices: {', '.join(list(shown.values())[:4])} ..."


@case("models by id", format="")
def models(sound: Sound) -> None:
    shown = [model["id"] for model in read("/audio/models")["models"]]
    assert "tts-1" in shown, shown
    sound.note = ", ".join(shown)


@case("speech at its defaults", format="mp3", voice="high")
def speech(sound: Sound) -> None:
    speak(sound, {"input": TEXT, "voice": "alloy", "model": "tts-1"})


@case("speech in each of the first voices that it shows", format="mp3")
def shown_voice(sound: Sound) -> None:
    for voice in read("/audio/voices")["voices"][:3]:
        sound.data.clear()
        sound.pieces.clear()
        speak(sound, {"input": TEXT, "voice": voice["id"], "model": "tts-1"})


tell()
