"""Subjects of the released files: every checkpoint that an engine speaks with, as it is public, and how our engine reads it.

A new engine adds a folder of facts (configuration files as released, a tensor table per file) and one function here.
"""

import csv
import json
from pathlib import Path

import torch
import yaml

from engines.cosyvoice3.networks import read_networks as read_cosyvoice3
from engines.dots.networks import read_networks as read_dots
from engines.fish_speech.networks import read_networks as read_fish_speech
from engines.kit.weights.checkpoint import Checkpoint
from engines.kokoro.network.networks import KokoroNetworks
from engines.kokoro.weights.sources import open_weights as open_kokoro
from engines.omnivoice.networks import read_networks as read_omnivoice
from engines.pocket_tts.config_file import read_config as read_pocket_config
from engines.pocket_tts.networks import load_networks as load_pocket_networks
from engines.pocket_tts.tokenizer import read_tokenizer as read_pocket_tokenizer
from engines.pocket_tts.weights import PRESETS as POCKET_VOICES
from engines.pocket_tts.weights import PocketWeights
from engines.qwen3_tts.networks import read_networks as read_qwen3_tts
from engines.voxcpm2.networks import read_networks as read_voxcpm2
from engines.voxtral.networks import read_networks as read_voxtral
from tests.engines.cosyvoice3.text.vocabulary import write_tokenizer as write_cosyvoice3_tokenizer
from tests.engines.dots.random_checkpoint import write_stats as write_dots_stats
from tests.engines.dots.vocabulary import write_tokenizer as write_dots_tokenizer
from tests.engines.fish_speech.vocabulary import write_tokenizer as write_fish_tokenizer
from tests.engines.omnivoice.text.vocabulary import write_tokenizer as write_omnivoice_tokenizer
from tests.engines.pocket_tts.random_checkpoint import write_hollow_preset
from tests.engines.pocket_tts.vocabulary import write_tokenizer as write_pocket_tokenizer
from tests.engines.qwen3_tts.checkpoints.vocabulary import write_tokenizer as write_qwen_tokenizer
from tests.engines.voxcpm2.vocabulary import write_tokenizer as write_llama_tokenizer
from tests.engines.voxtral.vocabulary import write_tokenizer as write_voxtral_tokenizer
from tests.released.release import FACTS, Release, ReleasedFile

__all__ = ["RELEASED", "voxtral_voice_rows"]


def _qwen3_tts(size: str, *, n_tensors: int, n_main_bytes: int, n_bytes: int) -> Release:
    codec = ReleasedFile(
        "qwen3_tts/codec/model.tensors",
        682_293_092,
        n_read=428,
        unread={
            "encoder.quantizer.*.codebook.initialized": "says of training that a codebook has been filled",
            "encoder.quantizer.acoustic_*.layers.1[5-9].codebook.*": "codebooks beyond the 16 that the talker speaks",
            "encoder.quantizer.acoustic_*.layers.[23]?.codebook.*": "codebooks beyond the 16 that the talker speaks",
            "encoder.quantizer.*.output_proj.weight": "from codes back to the encoder's rows; the decoder has its own",
            "decoder.quantizer.*.input_proj.weight": "from rows to codes; the encoder has its own",
        },
    )
    copies = {
        "config.json": f"qwen3_tts/{size}/config.json",
        "generation_config.json": "qwen3_tts/generation_config.json",
        "speech_tokenizer/config.json": "qwen3_tts/codec/config.json",
    }
    main = ReleasedFile(f"qwen3_tts/{size}/model.tensors", n_main_bytes, n_read=n_tensors)
    return Release(
        engine="qwen3_tts",
        repository=f"Qwen/Qwen3-TTS-12Hz-{size}-Base",
        n_bytes=n_bytes,
        copies=copies,
        files={"model.safetensors": main, "speech_tokenizer/model.safetensors": codec},
        write_rest=lambda folder: write_qwen_tokenizer(folder, {"im_start_token_id": 400}),  # ids of text have no part in the shapes
        read=lambda folder: read_qwen3_tts(folder, torch.device("meta"), torch.bfloat16),
        converted={"speaker_encoder.*": "speakers are learned in float32"},
    )


def _voxcpm2() -> Release:
    vae = ReleasedFile(
        "voxcpm2/audiovae.tensors",
        376_951_122,
        n_read=308,
        unread={
            "encoder.fc_logvar.*": "the variance, which only training draws with",
            "decoder.sr_bin_boundaries": "the configuration says the same",
        },
    )
    return Release(
        engine="voxcpm2",
        repository="openbmb/VoxCPM2",
        n_bytes=4_960_712_822,
        copies={"config.json": "voxcpm2/config.json"},
        files={"model.safetensors": ReleasedFile("voxcpm2/model.tensors", 4_580_080_592, n_read=577), "audiovae.pth": vae},
        write_rest=write_llama_tokenizer,
        read=lambda folder: read_voxcpm2(folder, torch.device("meta"), torch.bfloat16),
        converted={},
    )


def _dots() -> Release:
    counted = {"*.num_batches_tracked": "of training"}
    files = {
        "model.safetensors": ReleasedFile("dots/model.tensors", 4_398_915_292, n_read=870, metadata={"format": "pt"}),
        "vocoder.safetensors": ReleasedFile("dots/vocoder.tensors", 723_585_584, n_read=951),
        "speaker_encoder.safetensors": ReleasedFile(
            "dots/speaker_encoder.tensors",
            29_150_484,
            n_read=815,
            unread={**counted, "resample.kernel": "a filter of torchaudio, which computes it"},
        ),
    }

    def write_rest(folder: Path) -> None:
        write_dots_tokenizer(folder)
        write_dots_stats(folder, 128)

    return Release(
        engine="dots",
        repository="dots-studio/dots.tts-mf",
        n_bytes=5_155_000_000,
        copies={name: f"dots/{name}" for name in ("config.json", "llm_config.json")},
        files=files,
        write_rest=write_rest,
        read=lambda folder: read_dots(folder, torch.device("meta"), torch.bfloat16),
        converted={},
    )


def _fish_s2_pro() -> Release:
    first, second = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"
    codec = ReleasedFile(
        "fish_s2_pro/codec.tensors",
        1_871_099_728,
        n_read=535,
        unread={
            "*.freqs_cis": "three tables of rotations that an older build left there; ours are computed",
            "*.causal_mask": "three masks of the same build, longer than any window",
        },
        shared={
            "quantizer.*.codebook.weight": "codes are found and spoken by the same books",
            "quantizer.*.out_proj.*": "a book's rows as the next book of the encoder misses them, and as the decoder adds them",
        },
        n_note_bytes=98_321,  # the archive's own name, in each of its records, and the modules' versions, which torch notes
    )
    head = {"format": "pt"}
    shards = {
        first: ReleasedFile("fish_s2_pro/model-00001.tensors", 4_986_872_984, n_read=187, metadata=head),
        second: ReleasedFile("fish_s2_pro/model-00002.tensors", 4_136_876_104, n_read=171, metadata=head),
    }

    def write_rest(folder: Path) -> None:
        write_fish_tokenizer(folder, json.loads((folder / "config.json").read_text()))
        _fill(folder / "tokenizer.json", 12_217_872)
        weight_map = dict(sorted((tensor, name) for name, file in shards.items() for tensor in file.tensors))
        sizes = {"total_parameters": 4_561_852_416, "total_size": 9_123_704_832}
        index = json.dumps({"metadata": sizes, "weight_map": weight_map}, indent=2) + "\n"
        (folder / "model.safetensors.index.json").write_text(index)

    return Release(
        engine="fish_speech",
        repository="fishaudio/s2-pro",
        n_bytes=11_007_111_597,
        copies={"config.json": "fish_s2_pro/config.json"},
        files={**shards, "codec.pth": codec},
        write_rest=write_rest,
        read=lambda folder: read_fish_speech(folder, torch.device("meta"), torch.bfloat16),
        converted={},
        # What is in which shard follows from their sizes; that it is so, from this.
        digests={"model.safetensors.index.json": "c8cb9974d3d17663a95dba1d6c3ea531fc42d377c0dff946f3a01a0ec48d45a3"},
    )


def _omnivoice() -> Release:
    codec = ReleasedFile(
        "omnivoice/codec/model.tensors",
        805_665_628,
        n_read=487,
        unread={
            "decoder_semantic.*": "from frames back to rows of HuBERT, which only training compares",
            "fc1.*": "what leads there",
            "quantizer.quantizers.*.codebook.embed_avg": "sums of rows, which training makes the entries of",
            "quantizer.quantizers.*.codebook.cluster_size": "how many rows these are the sums of",
            "quantizer.quantizers.*.codebook.inited": "says of training that a codebook has been filled",
        },
        shared={
            "quantizer.quantizers.*.codebook.embed": "codes are found and spoken by the same books",
            "quantizer.quantizers.*.project_out.*": "a book's rows as the encoder's next book misses them, and as the decoder adds them",
        },
        metadata={"format": "pt"},
    )
    main = ReleasedFile(
        "omnivoice/model.tensors",
        2_450_344_112,
        n_read=312,
        unread={
            "codebook_layer_offsets": "where each book begins in the tables of all: multiples of their size, which the configuration says"
        },
    )

    def write_rest(folder: Path) -> None:
        write_omnivoice_tokenizer(folder, json.loads((folder / "config.json").read_text()))
        _fill(folder / "tokenizer.json", 11_423_986)

    return Release(
        engine="omnivoice",
        repository="k2-fsa/OmniVoice",
        n_bytes=3_267_447_666,
        copies={"config.json": "omnivoice/config.json", "audio_tokenizer/config.json": "omnivoice/codec/config.json"},
        files={"model.safetensors": main, "audio_tokenizer/model.safetensors": codec},
        write_rest=write_rest,
        read=lambda folder: read_omnivoice(folder, torch.device("meta"), torch.float32),
        converted={},
        digests={
            "config.json": "5e359117e13b420c5e0c925d4aba650d624767131f1d1746928f8b850d5dc372",
            "audio_tokenizer/config.json": "eefb20806f7104e77c9a5277c9df0f9bb8826b08eb1d4e8ab2b9829b6ef9fac1",
        },
    )


def _cosyvoice3() -> Release:
    text = "CosyVoice-BlankEN"
    head, table = "llm.model.lm_head.weight", "llm.model.model.embed_tokens.weight"
    llm = ReleasedFile(
        "cosyvoice3/llm.tensors",
        2_024_669_519,
        n_read=292,
        unread={head: "the table of text under its second name: logits of text, which nobody asks for"},
        level="",
        same={head: table},
    )
    flow = ReleasedFile(
        "cosyvoice3/flow.tensors",
        1_329_116_148,
        n_read=329,
        unread={"decoder.estimator.rotary_embed.inv_freq": "what rotations are computed from; ours follow from the width of a head"},
        level="",
    )
    hift = ReleasedFile("cosyvoice3/hift.tensors", 83_202_622, n_read=328, level="")
    # Beside tensors are the steps, and what they compute with: positions, numbers, two rows of a batch norm that are constants.
    tokenizer = ReleasedFile("cosyvoice3/speech_tokenizer_v3.tensors", 969_451_503, n_read=198, n_note_bytes=1_377_943)
    encoder = ReleasedFile("cosyvoice3/campplus.tensors", 28_303_423, n_read=617 + 2, n_note_bytes=563_777)

    def write_rest(folder: Path) -> None:
        write_cosyvoice3_tokenizer(folder / text, first=400)  # ids of text have no part in the shapes
        _fill(folder / text / "vocab.json", 2_776_833)

    return Release(
        engine="cosyvoice3",
        repository="FunAudioLLM/Fun-CosyVoice3-0.5B-2512",
        n_bytes=4_438_931_037,
        copies={name: f"cosyvoice3/{name}" for name in ("cosyvoice3.yaml", f"{text}/config.json")},
        files={
            "llm.pt": llm,
            "flow.pt": flow,
            "hift.pt": hift,
            "speech_tokenizer_v3.onnx": tokenizer,
            "campplus.onnx": encoder,
        },
        write_rest=write_rest,
        read=lambda folder: read_cosyvoice3(folder, torch.device("meta"), torch.float32, "llm.pt"),
        converted={},
        digests={
            "cosyvoice3.yaml": "f5a6b2c6f05139d0f18861a1fe506f751e787026b77c05f7e8fef9f8a4405965",
            f"{text}/config.json": "168aa1bd401abc3bc262ba15ba4e499627a8b4e006e9d050b47c22de20660185",
        },
    )


def _pocket_tts(variant: str, *, n_tensors: int, n_model_bytes: int, n_voice_bytes: int) -> Release:
    """n_voice_bytes: about those of a built-in voice, of 127 rows."""
    home, facts = f"languages/{variant}", FACTS / "pocket_tts" / "config" / f"{variant}.yaml"

    def write_rest(folder: Path) -> None:
        config = yaml.safe_load(facts.read_text(encoding="utf-8"))
        table = config["flow_lm"]["lookup_table"]
        write_pocket_tokenizer(folder / home, table["tokenizer"], table["n_bins"])
        for voice in POCKET_VOICES:
            write_hollow_preset(folder / home / f"embeddings/{voice}.safetensors", config, rows=127)

    def read(folder: Path) -> object:
        """The makers have no configuration beside the weights, but in their package."""
        files, config = PocketWeights(variant).resolve(str(folder)), read_pocket_config(facts)
        tokenizer = read_pocket_tokenizer(files.tokenizer, config.flow_lm.lookup_table.n_bins)
        with Checkpoint(files.model) as checkpoint:
            return load_pocket_networks(config, tokenizer, checkpoint, torch.float32, files.presets, device="meta")

    return Release(
        engine="pocket_tts",
        repository="kyutai/pocket-tts",
        n_bytes=n_model_bytes + 245_020 + len(POCKET_VOICES) * n_voice_bytes,
        copies={},
        files={f"{home}/model.safetensors": ReleasedFile(f"pocket_tts/{variant}.tensors", n_model_bytes, n_read=n_tensors)},
        write_rest=write_rest,
        read=read,
        converted={"*": "bfloat16 is how they are shipped; a CPU computes in float32"},
        options={"variant": variant},
    )


def _voxtral() -> Release:
    main = "consolidated.safetensors"
    lines = list(csv.DictReader((FACTS / "voxtral_4b_tts/files.tsv").read_text().splitlines(), delimiter="\t"))
    sizes = {line["file"]: int(line["bytes"]) for line in lines}
    voices = {file: voxtral_voice_rows(n_bytes) for file, n_bytes in sizes.items() if file.endswith(".pt")}

    def write_rest(folder: Path) -> None:
        params = json.loads((folder / "params.json").read_text())
        write_voxtral_tokenizer(folder, params, {Path(file).stem: n_rows for file, n_rows in voices.items()})
        _fill(folder / "tekken.json", sizes["tekken.json"])
        for file, n_rows in voices.items():
            (folder / file).parent.mkdir(exist_ok=True)
            with torch.serialization.skip_data():
                torch.save(torch.empty(n_rows, params["dim"], dtype=torch.bfloat16), folder / file)

    return Release(
        engine="voxtral",
        repository="mistralai/Voxtral-4B-TTS-2603",
        n_bytes=sum(sizes.values()),
        copies={"params.json": "voxtral_4b_tts/params.json"},
        files={main: ReleasedFile("voxtral_4b_tts/consolidated.tensors", sizes[main], n_read=386)},
        write_rest=write_rest,
        read=lambda folder: read_voxtral(folder, torch.device("meta"), torch.bfloat16),
        converted={"audio_tokenizer.*": "the codec computes in float32, and sums of its codebook are divided there"},
    )


def _kokoro() -> Release:
    main, n_tensors = "kokoro-v1_0.pth", 548

    def read(folder: Path) -> object:
        config, checkpoint = open_kokoro(folder)
        with checkpoint:
            return KokoroNetworks.read(config, checkpoint, torch.float32, "meta")

    return Release(
        engine="kokoro",
        repository="hexgrad/Kokoro-82M",
        n_bytes=327_214_577,
        copies={"config.json": "kokoro/config.json"},
        files={
            main: ReleasedFile(
                "kokoro/kokoro-v1_0.tensors",
                327_212_226,
                n_read=546,
                unread={"bert.pooler.*": "ALBERT's summary of a text, which nobody asks for"},
                level="",
                n_note_bytes=-32 * n_tensors,  # which its torch spent less on every tensor than the one here
                wrapped="module.",
            )
        },
        write_rest=lambda folder: None,
        read=read,
        converted={},
        digests={"config.json": "5abb01e2403b072bf03d04fde160443e209d7a0dad49a423be15196b9b43c17f"},
    )


def voxtral_voice_rows(n_bytes: int) -> int:
    """Rows of a published voice: what an archive of torch has beside a tensor of bfloat16 is the same for all twenty."""
    n_rows, rest = divmod(n_bytes - 1605, 3072 * 2)
    if rest:
        raise ValueError(f"{n_bytes} bytes are no whole number of rows")
    return n_rows


def _fill(file: Path, n_bytes: int) -> None:
    """Make it as large as the published one, with blanks behind it."""
    file.write_bytes(file.read_bytes().ljust(n_bytes))


RELEASED = {
    "cosyvoice3 0.5B": _cosyvoice3(),
    "dots 2B-mf": _dots(),
    "fish_speech S2-Pro": _fish_s2_pro(),
    "kokoro 82M": _kokoro(),
    "omnivoice 0.6B": _omnivoice(),
    "pocket_tts english": _pocket_tts("english", n_tensors=214, n_model_bytes=219_029_196, n_voice_bytes=6_242_304),
    "pocket_tts french_24l": _pocket_tts("french_24l", n_tensors=358, n_model_bytes=672_178_676, n_voice_bytes=24_969_216),
    "pocket_tts english_18m": _pocket_tts("english_18m_2026-10", n_tensors=303, n_model_bytes=55_882_628, n_voice_bytes=4_161_536),
    "pocket_tts english_7m": _pocket_tts("english_7m_2026-10", n_tensors=304, n_model_bytes=33_259_724, n_voice_bytes=1_040_384),
    "pocket_tts english_2m": _pocket_tts("english_2m_2026-10", n_tensors=224, n_model_bytes=23_369_348, n_voice_bytes=520_192),
    "qwen3_tts 0.6B": _qwen3_tts("0.6B", n_tensors=478, n_main_bytes=1_829_344_272, n_bytes=2_516_100_892),
    "qwen3_tts 1.7B": _qwen3_tts("1.7B", n_tensors=480, n_main_bytes=3_857_413_744, n_bytes=4_544_170_364),
    "voxcpm2 2B": _voxcpm2(),
    "voxtral 4B": _voxtral(),
}
