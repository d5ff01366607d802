"""What the stored samples hold, and how they are made: `python -m tests.studio.speakers.vllm_omni_samples` beside vllm_omni."""

import base64
import importlib.util
import io
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import soundfile

from studio.settings import current_environment

SAMPLES = Path(__file__).parent / "samples"
CODE = Path(__file__).parent / "vllm_omni_code.py"
EMBEDDING = np.random.default_rng(3).standard_normal(1024).astype(np.float32)


def noise_wav(seed: int, sample_rate: int, n_samples: int, n_channels: int) -> bytes:
    """A 16-bit WAV of noise."""
    buffer = io.BytesIO()
    samples = np.random.default_rng(seed).integers(-20_000, 20_000, (n_samples, n_channels)).astype(np.int16)
    soundfile.write(buffer, samples, sample_rate, format="WAV", subtype="PCM_16")
    return buffer.getvalue()


def of_audio(name: str, consent: str, data: bytes, **more) -> dict:
    return {"name": name, "consent": consent, "data": base64.b64encode(data).decode(), "content_type": "audio/wav"} | more


# By key, which is the stem of the sample's file.
UPLOADS: dict[str, dict] = {
    "mono": of_audio(
        "Alice", "c1", noise_wav(1, 8_000, 9_600, 1), filename="a.wav", ref_text="  hello there ", speaker_description=" warm "
    ),
    "stereo": of_audio(
        "Zoë Brandt", "form 7-2026 (ü)", noise_wav(2, 4_000, 4_400, 2), filename="grüße.wav", ref_text="schöne\n»Grüße« 你好"
    ),
    "embedding": {"name": "Eve.2", "consent": "c_3", "embedding": json.dumps([float(value) for value in EMBEDDING])},
}


def package_folder() -> Path | None:
    """The folder of an importable vllm_omni, which is not executed; None where there is none."""
    spec = importlib.util.find_spec("vllm_omni")
    return Path(spec.submodule_search_locations[0]) if spec is not None and spec.submodule_search_locations else None


def vllm_omni(verb: str, folder: Path, argument: object = None):
    """The answer of its own code about a folder of voices; verbs: upload, restore, delete."""
    command = [sys.executable, str(CODE), str(package_folder()), verb]
    environment = current_environment(without_settings=True) | {"SPEAKER_SAMPLES_DIR": str(folder)}
    done = subprocess.run(command, input=json.dumps(argument), env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def main() -> None:
    """Let its code upload each sample into the folder of samples."""
    for key, given in UPLOADS.items():
        folder = SAMPLES / key
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("*.safetensors"):
            old.unlink()
        print(vllm_omni("upload", folder, [given]))


if __name__ == "__main__":
    main()
