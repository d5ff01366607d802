"""Gradio's own client: speech piece by piece and as a file, and the list of voices."""

import base64
import urllib.request
from urllib.parse import urljoin

from hearing import KEY, PRINTED, TEXT, Sound, address, case, run_block, tell


@case("as printed", format="wav", voice="high")
def as_printed(sound: Sound) -> None:
    sound.text = PRINTED
    url = urljoin(f"{address()}/", run_block()["speech"]["url"])
    with urllib.request.urlopen(urllib.request.Request(url, headers={"Authorization": f"Bearer {KEY}"}), timeout=60) as fetched:
        sound.add(fetched.read())


@case("piece by piece", format="pcm", streams=True, voice="high")
def pieces(sound: Sound) -> None:
    for told in run_block("client")["client"].submit(text=TEXT, api_name="/speak"):
        if "pcm" in told:
            sound.rate_hz = told["sample_rate"]
            sound.add(base64.b64decode(told["pcm"]))


@case("voices", format="")
def voices(sound: Sound) -> None:
    sound.note = str(run_block("client")["client"].predict(api_name="/voices"))[:200]


tell()
