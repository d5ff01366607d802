"""The table of what clients heard, in Markdown: what each sent, what was answered, and what came."""

import json
from collections.abc import Sequence

from tests.clients.environments import CLIENTS
from tests.clients.heard import Heard

__all__ = ["table"]

MOST_LETTERS = 160
OWN = {"input", "params"}  # of a request for speech: OpenAI's, MCP's


def table(heard: Sequence[tuple[str, str, Heard]]) -> str:
    """heard: (client, case, what it heard)."""
    lines = ["| client | case | sends | hears | first sound |", "|---|---|---|---|---|"]
    return "\n".join(lines + [_line(*one) for one in heard]) + "\n"


def _line(name: str, case: str, heard: Heard) -> str:
    client = CLIENTS[name]
    named = f"{client.packages[0].split('[')[0].rsplit('=', 2)[0].rsplit('@', 1)[0] or name} {client.version}" if client.packages else name
    first = "" if heard.first_seconds is None else f"{heard.first_seconds:.2f} s"
    cells = (named, case, _sent(heard), _came(heard), first)
    return "| " + " | ".join(cell.replace("|", "/").replace("\n", " ").strip()[:MOST_LETTERS] for cell in cells) + " |"


def _sent(heard: Heard) -> str:
    """Its last request for speech, without the text; where it asked for none, its last request."""
    spoken = [one for one in heard.exchanges if one.body.keys() & OWN] or heard.exchanges
    if not spoken:
        return ""
    last = spoken[-1]
    body = last.body.get("params") or last.body
    fields = {name: value for name, value in body.items() if name not in ("input", "_meta")}
    return (
        f"`{last.method} {last.path.split('?')[0]} {json.dumps(fields, ensure_ascii=False) if fields else ''}".strip()[: MOST_LETTERS - 1]
        + "`"
    )


def _came(heard: Heard) -> str:
    if heard.wrong:
        return "; ".join(heard.wrong)
    if not heard.format:
        return heard.told["note"]
    return f"{heard.format}, {heard.rate_hz / 1000:g} kHz, {heard.seconds:.1f} s, {heard.level_dbfs:.0f} dBFS, {heard.pitch_hz:.0f} Hz"
