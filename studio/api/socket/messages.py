"""Messages that a client may send through the WebSocket. Here are the checks that need one message alone."""

from collections.abc import Mapping
from typing import Any

from engines.plain_json import read_json
from studio.errors.clean import clean

__all__ = ["BROKEN_RULE", "MOST_MESSAGE_CHARACTERS", "TOO_LARGE", "MessageRefused", "read_message", "read_text", "shown"]

MOST_MESSAGE_CHARACTERS = 4 * 1024 * 1024  # a session.config with reference audio
MOST_TEXT_CHARACTERS = 128 * 1024
SHOWN_CHARACTERS = 100
BROKEN_RULE, TOO_LARGE = 1008, 1009  # close codes, RFC 6455 section 7.4.1


class MessageRefused(Exception):
    """A message that was not heeded; the session goes on if it has been configured. close_code: for when it has not."""

    def __init__(self, message: str, close_code: int = BROKEN_RULE):
        super().__init__(clean(message))
        self.close_code = close_code


def read_message(event: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON object in an ASGI `websocket.receive` event. Raises MessageRefused."""
    text = event.get("text")
    if text is None:
        raise MessageRefused("Binary messages are not supported; send JSON objects as text.")
    if len(text) > MOST_MESSAGE_CHARACTERS:
        raise MessageRefused("WebSocket message too large", TOO_LARGE)
    try:
        message = read_json(text)
    except ValueError:
        raise MessageRefused("Invalid JSON message") from None
    if not isinstance(message, dict):
        raise MessageRefused("WebSocket messages must be JSON objects")
    if message.get("type") != "session.config" and len(text) > MOST_TEXT_CHARACTERS:
        raise MessageRefused("input.text message too large", TOO_LARGE)
    return message


def read_text(message: Mapping[str, Any], before: str = "") -> tuple[str, str]:
    """(text of an input.text message, half a character at its end). Raises MessageRefused.

    before: such a half of the message before. A client that cuts UTF-16 text into pieces sends the two halves of an emoji apart.
    """
    text = message.get("text")
    if not isinstance(text, str):
        raise MessageRefused("input.text requires a string value")
    text = before + text
    whole, half = (text[:-1], text[-1]) if "\ud800" <= text[-1:] <= "\udbff" else (text, "")
    try:
        return whole.encode("utf-16-le", "surrogatepass").decode("utf-16-le"), half
    except UnicodeDecodeError:
        raise MessageRefused("input.text must be valid Unicode text") from None


def shown(value: object) -> str:
    """A client's value, short enough for an error."""
    text = str(value)
    return text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "..."
