"""A program whose request is known, and which plays the file that comes: the body stands in clients.toml."""

import json
import urllib.request

from hearing import GIVEN, KEY, TEXT, Sound, address, case, tell


@case("its defaults", format=GIVEN["hears"], voice="high")
def defaults(sound: Sound) -> None:
    body = json.dumps(GIVEN["sends"] | {"input": TEXT}).encode()
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {KEY}"}
    url = address() if address().endswith("/audio/speech") else f"{address()}/audio/speech"
    with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=120) as answer:
        sound.note = answer.headers["Content-Type"]
        while piece := answer.read1():
            sound.add(piece)


tell()
