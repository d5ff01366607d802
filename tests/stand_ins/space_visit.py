"""A visit to a Space without a network that may write to its storage alone: `python -m tests.stand_ins.space_visit STORAGE`, there."""

import subprocess
import sys
from pathlib import Path

import httpx

from tests.stand_ins.server_process import child_environment

ROOT = Path(__file__).parents[2]


def main(storage: Path) -> None:
    """Starts the program as the Hub does, makes a voice, speaks, stops. Raises AssertionError."""
    environment = child_environment() | {
        "SPACE_ID": "someone/voices", "SYSTEM": "spaces", "STUDIO_SPACE_STORAGE": str(storage), "HOME": str(storage / "home"),
        "GRADIO_SERVER_NAME": "127.0.0.1", "GRADIO_SERVER_PORT": "7860",
    }  # fmt: skip
    program = subprocess.Popen([sys.executable, "app.py"], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert any(line.startswith("ready in ") and "espeak ready" in line for line in program.stdout)
        with httpx.Client(base_url="http://127.0.0.1:7860", timeout=30) as visitor:
            assert "Voice studio" in visitor.get("/").text
            about = {"name": "Demo", "consent": "demo-licence"}
            clip = (ROOT / "assets/voices/demo.flac").read_bytes()
            assert visitor.post("/v1/audio/voices", data=about, files={"audio_sample": clip}).status_code == httpx.codes.OK
            said = visitor.post("/v1/audio/speech", json={"input": "Hello.", "voice": "Demo"})
            assert said.status_code == httpx.codes.OK and len(said.content) > 10_000
    finally:
        program.terminate()
        assert program.wait(30) == 0
    assert [path.name for path in storage.iterdir()] == ["speakers"]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
