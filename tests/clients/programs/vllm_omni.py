"""What the example clients of vLLM-Omni send: JSON for a WAV file, raw samples as they come, and a text over a socket.

The address is that of its wire, /v1, where a voice that does not exist is refused: they name one that does.
"""

import asyncio
import base64
import json
import os
import socket
import struct
import urllib.request
from collections.abc import Iterator

from hearing import KEY, PRINTED, TEXT, Sound, address, case, tell

HEADERS = {"Content-Type": "application/json", "Authorization": f"Bearer {KEY}"}
VOICE = "af_heart"


def asked(sound: Sound, **body: object) -> None:
    body = {"input": TEXT, "voice": VOICE} | body
    with urllib.request.urlopen(
        urllib.request.Request(f"{address()}/v1/audio/speech", json.dumps(body).encode(), HEADERS), timeout=120
    ) as answer:
        while piece := answer.read1():
            sound.add(piece)


@case("a whole file", format="wav", voice="high")
def whole(sound: Sound) -> None:
    sound.text = PRINTED
    asked(sound, input=PRINTED, response_format="wav")


@case("samples as they come", format="pcm", streams=True, voice="high")
def streamed(sound: Sound) -> None:
    asked(sound, response_format="pcm", stream=True, stream_format="audio")


@case("events", format="pcm", streams=True, voice="high")
def events(sound: Sound) -> None:
    body = {"input": TEXT, "voice": VOICE, "response_format": "pcm", "stream": True}
    answer = urllib.request.urlopen(urllib.request.Request(f"{address()}/v1/audio/speech", json.dumps(body).encode(), HEADERS), timeout=120)
    with answer:
        for line in answer:
            event = json.loads(line[6:]) if line.startswith(b"data: {") else {}
            if event.get("type") == "speech.audio.delta":
                sound.add(base64.b64decode(event["audio"]))


@case("a text over the socket", format="pcm", streams=True, voice="high")
async def over_socket(sound: Sound) -> None:
    await asyncio.to_thread(_over_socket, sound)


def _over_socket(sound: Sound) -> None:
    """session.config, words, and the last of them when the first sound is heard; JSON and samples come back until session.done."""
    words = [f"{word} " for word in TEXT.split(" ")]
    with WebSocket("/v1/audio/speech/stream") as link:
        config = {"voice": VOICE, "language": "Auto", "response_format": "pcm", "stream_audio": True, "speed": 1.0}
        link.send({"type": "session.config", "split_granularity": "sentence"} | config)
        for word in words[:-3]:
            link.send({"type": "input.text", "text": word})
        rest = [*({"type": "input.text", "text": word} for word in words[-3:]), {"type": "input.done"}]
        for samples in sounds(link):
            sound.add(samples)
            while rest:
                link.send(rest.pop(0))


def sounds(link: "WebSocket") -> Iterator[bytes]:
    """Samples as they come, until session.done."""
    while True:
        is_text, data = link.read()
        message = json.loads(data) if is_text else {}
        assert message.get("type") != "error", message
        if message.get("type") == "session.done":
            return
        if not is_text:
            yield data


class WebSocket:
    """As much of RFC 6455 as a client of short messages needs, since Python brings none."""

    def __init__(self, path: str):
        host, _, port = address().removeprefix("http://").partition(":")
        self._socket = socket.create_connection((host, int(port)), 120)
        key = base64.b64encode(os.urandom(16)).decode()
        head = (f"GET {path} HTTP/1.1", f"Host: {host}:{port}", "Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Key: {key}")
        head += ("Sec-WebSocket-Version: 13", f"Authorization: Bearer {KEY}", "", "")
        self._socket.sendall("\r\n".join(head).encode())
        self._file = self._socket.makefile("rb")
        assert self._file.readline().startswith(b"HTTP/1.1 101")
        while self._file.readline().strip():
            pass

    def __enter__(self) -> "WebSocket":
        return self

    def __exit__(self, *ended: object) -> None:
        self._file.close()
        self._socket.close()

    def send(self, message: dict) -> None:
        self._send(0x1, json.dumps(message).encode())

    def read(self) -> tuple[bool, bytes]:
        """Whether it is text, and what. A ping is answered meanwhile."""
        while True:
            kind, size = self._file.read(2)
            if size >= 126:
                (size,) = struct.unpack(">H" if size == 126 else ">Q", self._file.read(2 if size == 126 else 8))
            data = self._file.read(size)
            if kind & 0x0F in (0x1, 0x2):
                return kind & 0x0F == 0x1, data
            assert kind & 0x0F == 0x9, (kind, data)
            self._send(0xA, data)

    def _send(self, kind: int, data: bytes) -> None:
        """In one frame, masked, as a client has to."""
        mask = os.urandom(4)
        size = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack(">H", len(data))
        self._socket.sendall(bytes([0x80 | kind]) + size + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(data)))


tell()
