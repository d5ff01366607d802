"""Requests as programs send them without having been told anything, and their parsers of what comes back, as data."""

import pytest

from tests.api.door import wav

# name -> the body of its request for speech
SPEECH = {
    "Open WebUI": {"input": "hello", "voice": "alloy", "model": "tts-1"},
    "SillyTavern": {"input": "hello", "response_format": "mp3", "voice": "alloy", "speed": 1, "model": "tts-1"},
    "Home Assistant": {"model": "tts-1", "input": "hello", "voice": "shimmer", "response_format": "wav", "speed": 1.0},
    "LibreChat": {"input": "hello", "model": "tts-1-hd", "voice": "nova", "backend": "openai"},
    "AnythingLLM": {"model": "tts-1", "voice": "alloy", "input": "hello"},
    "n8n": {"model": "tts-1", "input": "hello", "voice": "alloy", "response_format": "opus", "speed": 1},
    "openedai-speech": {"model": "tts-1-hd", "input": "hello", "voice": "onyx", "response_format": "aac", "speed": 0.9},
    "Kokoro-FastAPI": {"model": "tts-1", "input": "hello", "voice": "nova", "stream": True, "lang_code": "a", "volume_multiplier": 1.0},
    "pipecat": {"model": "gpt-4o-mini-tts", "voice": "alloy", "input": "hello", "response_format": "pcm"},
    "LiveKit": {
        "model": "gpt-4o-mini-tts",
        "voice": "ash",
        "input": "hello",
        "response_format": "mp3",
        "stream_format": "sse",
        "speed": 1.0,
    },
    "dated": {"model": "gpt-4o-mini-tts-2025-12-15", "voice": {"id": "cedar"}, "input": "hello", "instructions": "Speak warmly."},
}
VOICES = {  # name -> how it reads the list
    "Open WebUI": lambda answer: {voice["id"]: voice["name"] for voice in answer.get("voices", [])},
    "by data": lambda answer: {voice["id"]: voice["name"] for voice in answer["data"]},
}


@pytest.mark.parametrize("client", SPEECH)
def test_speech_comes_at_once(door, client):
    answer = door.post("/openai/v1/audio/speech", json=SPEECH[client], headers={"Authorization": "Bearer sk-none"})
    assert answer.status_code == 200, answer.text
    assert answer.content and "x-voice-alias" in answer.headers


@pytest.mark.parametrize("client", VOICES)
def test_voices_are_read_by_name(door, client):
    door.upload("Ana", wav(1.5))
    assert VOICES[client](door.get("/openai/v1/audio/voices").json()) == {"Ana": "Ana", "tone": "tone"}


def test_models_are_read_by_id(door):
    models = door.get("/openai/v1/audio/models").json().get("models", [])  # Open WebUI
    assert {"tts-1", "tts-1-hd"} <= {model["id"] for model in models}
