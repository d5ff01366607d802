"""ToneModel: stands where vLLM-Omni's AsyncOmni does, and speaks a tone of the pitch of the recording that it is given, at a set pace.

Two recordings of different pitch are two voices, so that a listener measures whose voice an answer is in. In context, that is with the
words of the recording, the tone has its third harmonic; by embedding, without words, it has none. A text that says "after 30 seconds" is
begun so much later.
"""

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers
from vllm.sampling_params import RequestOutputKind, SamplingParams

__all__ = ["Pace", "ToneModel"]

RATES = {"qwen3_tts": 24000, "fish_speech": 44100}
STAGES = {"qwen3_tts": "qwen3_tts", "fish_speech": "fish_speech_slow_ar"}
SECONDS_PER_CHARACTER = 0.06
NOBODY_HZ = 110.0  # without a recording
CONTROL_TOKENS = ("<|im_start|>", "<|im_end|>", "<|voice|>", "<|audio_start|>", "<|audio_end|>")
LEVEL, HARMONIC_LEVEL = 0.4, 0.1
LATER = re.compile(r"after (\d+) seconds")


@dataclass(frozen=True)
class Pace:
    """first_seconds: from the request to the first audio, and extract_seconds more where the recording is new. chunk_seconds: of audio in a
    piece. speed: seconds of audio per second, after the first."""

    first_seconds: float
    extract_seconds: float
    chunk_seconds: float
    speed: float


class ToneModel:
    """What the server asks of its models: facts for the handlers, and `generate`."""

    errored = False
    dead_error = RuntimeError("never")
    endpoint_restrictions = ()
    renderer = SimpleNamespace(warmup=lambda *_: None)
    input_processor = SimpleNamespace()

    def __init__(self, rules: str, folder: Path, pace: Pace):
        self._rate, self._pace, self._events = RATES[rules], pace, folder / "events.jsonl"
        self._pitches: dict[str, float] = {}  # by the key under which a worker of Qwen3-TTS keeps what it learnt of a recording
        self.stage_configs = [SimpleNamespace(engine_args=SimpleNamespace(model_stage=STAGES[rules], model_arch=None, worker_type="ar"))]
        languages = {"english": 1, "german": 2, "french": 3}
        talker = SimpleNamespace(codec_language_id=languages, hidden_size=1024, spk_id={})
        configuration = SimpleNamespace(talker_config=talker, tts_model_type="base", codec_frame_rate_hz=12.5, model_type=rules)
        self.model_config = SimpleNamespace(
            hf_config=configuration,
            model=_written_model(folder / "model"),
            async_chunk=True,
            allowed_local_media_path="",
            allowed_media_domains=None,
            media_io_kwargs=None,
            max_model_len=4096,
        )
        self.vllm_config = SimpleNamespace(
            model_config=self.model_config, lora_config=None, shutdown_timeout=0, parallel_config=SimpleNamespace(_api_process_rank=0)
        )
        self.default_sampling_params_list = [SamplingParams(max_tokens=2048)]

    async def get_supported_tasks(self) -> tuple[str, ...]:
        """None of vLLM's: speech alone."""
        return ()

    async def get_vllm_config(self) -> SimpleNamespace:
        return self.vllm_config

    async def get_tokenizer(self) -> None:
        return None

    async def check_health(self) -> None:
        """It is well as long as it runs."""

    def shutdown(self, timeout: float) -> None:
        """Nothing runs beside the server."""

    async def generate(
        self, prompt: Mapping, request_id: str, sampling_params_list: Sequence[SamplingParams], **_: object
    ) -> AsyncIterator[SimpleNamespace]:
        """The tone, as outputs that carry (T,) float32 and the rate; one alone where the request does not stream."""
        said = prompt["additional_information"]
        asked_at, text = time.perf_counter(), _first(said["text"])
        pitch, is_new = self._pitch(said)
        in_context = bool(said.get("ref_text")) and not _first(said.get("x_vector_only_mode", False))
        facts = {"request": request_id, "hz": round(pitch, 1), "in_context": in_context, "text": text}
        self._tell("asked", **facts, new=is_new)
        later = float(found[1]) if (found := LATER.search(text)) else 0.0
        await asyncio.sleep(later + self._pace.first_seconds + is_new * self._pace.extract_seconds)
        is_whole = sampling_params_list[0].output_kind == RequestOutputKind.FINAL_ONLY
        n_said, began_at = 0, time.perf_counter()
        try:
            for samples in self._pieces(pitch, in_context, max(1.0, len(text) * SECONDS_PER_CHARACTER), is_whole):
                ahead = n_said / self._rate / self._pace.speed - (time.perf_counter() - began_at)
                await asyncio.sleep(max(0.0, ahead))
                n_said += len(samples)
                yield SimpleNamespace(multimodal_output={"audio": torch.from_numpy(samples), "sr": self._rate}, metrics={})
        except (GeneratorExit, asyncio.CancelledError):
            self._tell("abandoned", **facts, seconds=n_said / self._rate)
            raise
        self._tell("ended", **facts, seconds=n_said / self._rate, took=round(time.perf_counter() - asked_at, 3))

    def _pitch(self, said: Mapping) -> tuple[float, bool]:
        """Hz of the recording, and whether it is new: later requests name it by its key alone."""
        if "ref_audio_wav" in said:
            return _loudest(said["ref_audio_wav"].numpy(), said["ref_audio_sr"]), True
        (key,) = said.get("_qwen3_tts_ref_audio_cache_key", [""])
        given = said.get("ref_audio")
        if given and not isinstance(given[0], str):
            ((samples, rate),) = given
            is_new = key not in self._pitches
            self._pitches[key] = _loudest(np.asarray(samples, np.float32), rate)
            return self._pitches[key], is_new
        return (self._pitches[key] if key else NOBODY_HZ), False

    def _pieces(self, pitch: float, in_context: bool, seconds: float, is_whole: bool) -> list[np.ndarray]:
        times = np.arange(int(seconds * self._rate)) / self._rate
        wave = LEVEL * np.sin(2 * np.pi * pitch * times)
        if in_context:
            wave += HARMONIC_LEVEL * np.sin(6 * np.pi * pitch * times)
        size = len(wave) if is_whole else int(self._pace.chunk_seconds * self._rate)
        return [wave[start : start + size].astype(np.float32) for start in range(0, len(wave), size)]

    def _tell(self, event: str, **facts: object) -> None:
        with self._events.open("a") as file:
            file.write(json.dumps({"event": event, **facts}) + "\n")


def _written_model(folder: Path) -> str:
    """A folder from which the handlers read what they need of a checkpoint: a tokenizer that knows no word, and the codec's rate."""
    tokenizer = Tokenizer(models.WordLevel({"?": 0}, unk_token="?"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.add_special_tokens([AddedToken(token, special=True) for token in CONTROL_TOKENS])
    (folder / "speech_tokenizer").mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "?"}))
    (folder / "config.json").write_text(json.dumps({"model_type": "qwen2"}))
    rates = {"output_sample_rate": 24_000, "encode_downsample_rate": 1_920}
    (folder / "speech_tokenizer" / "config.json").write_text(json.dumps(rates))
    return str(folder)


def _loudest(samples: np.ndarray, rate: int) -> float:
    """Hz of the strongest tone."""
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples))))
    return float(np.argmax(spectrum) * rate / len(samples))


def _first(value: object) -> object:
    return value[0] if isinstance(value, list) else value
