"""Parity of OmniVoice: our networks and our engine compute what the official package computed from the same random weights.

The goldens were made by `make golden`; their headers say from what. Codes, ids, lengths and what only rearranges samples are equal, float32
numbers to 1e-5 of the largest. First each part alone, then what they do together, then what is heard through the engine's own door.
"""

from collections.abc import Iterator
from pathlib import Path
from unicodedata import category, unidata_version

import numpy as np
import pytest
import torch

from engines.clips.clip import Transcript
from engines.contract.options import resolve_options
from engines.contract.prompt import SpeakerPrompt
from engines.omnivoice import PACKAGE
from engines.omnivoice.engine import OmniVoiceEngine, recording_codes
from engines.omnivoice.networks import OmniVoiceNetworks, read_networks
from engines.omnivoice.postprocess import LEAST_RMS
from engines.omnivoice.text.duration import estimated_frames, range_weight, spoken_weight
from engines.omnivoice.text.input_text import prompt_ids, with_final_mark
from engines.omnivoice.text.voice_attributes import voice_description
from tests.engines.omnivoice.random_checkpoint import RECIPE
from tests.engines.omnivoice.tiny_checkpoint import write_tiny_checkpoint
from tests.parity import golden
from tests.parity.omnivoice import by_hand
from tests.parity.omnivoice.cases import (
    CODE_POINTS,
    CODEC_FRAMES,
    CODEC_RATE,
    CUT_TEXT,
    GOLDEN,
    HEARD,
    LONG,
    LOOKED_AT,
    PROMPTS,
    REFERENCES,
    SCRIPTS,
    SEEDS,
    SHAPES,
    SHORTENED,
    SPEEDS,
    SPOKEN,
    TEXT,
    TOGETHER,
    WORDS,
    Spoken,
    as_text,
    clips,
    half_masked,
    made_codes,
    made_samples,
    thinned,
)

TOLERANCE = 1e-5
# Of a speech: silences are removed from 16 bits, to which a sample is cut; few lie so near the edge of a level that rounding decides.
TWO_LEVELS, MOST_OTHERWISE = 2.0**-14, 0.02
OFFICIAL_UNICODE = "14.0.0"  # of Python 3.11, by which the golden lengths were made
CPU = torch.device("cpu")
PAD_SAMPLES = CODEC_RATE // 10  # before a speech, which ours leaves out
AT_ONCE = {"first_frames": 0}  # in one piece of text


@pytest.fixture(scope="module")
def networks(tmp_path_factory) -> dict[str, OmniVoiceNetworks]:
    folder = tmp_path_factory.mktemp("parity")
    return {shape: read_networks(_written(folder / shape, shape), CPU, torch.float32) for shape in SHAPES}


def _written(folder: Path, shape: str) -> Path:
    return write_tiny_checkpoint(folder, shape, seed=SEEDS[shape])


@pytest.fixture(scope="module")
def recorded() -> dict[str, np.ndarray]:
    return golden.read(GOLDEN / "recordings.safetensors")


@pytest.fixture(scope="module")
def references(recorded) -> dict[str | None, by_hand.Reference | None]:
    """By clip: its words and the official codes."""
    return {None: None} | {name: (as_text(recorded[f"{name}.words"]), recorded[f"{name}.codes"]) for name in WORDS}


def close(mine: torch.Tensor | np.ndarray, theirs: np.ndarray, tolerance: float = TOLERANCE) -> list[str]:
    return golden.differences({"it": np.asarray(mine)}, {"it": theirs}, tolerance)


def test_goldens_are_small_and_say_how_they_were_made():
    files = sorted(GOLDEN.glob("*.safetensors"))
    assert sum(file.stat().st_size for file in files) < 200_000
    for file in files:
        facts = golden.read_facts(file)
        assert file.stat().st_size <= golden.MOST_BYTES
        assert facts["recipe"] == RECIPE
        assert facts["upstream"] == "PyPI omnivoice 0.2.1, transformers 5.23.0"
        assert facts["seed"] in {*map(str, SEEDS.values()), str(SEEDS)}
        assert float(facts["least_margin"]) >= 10 * TOLERANCE  # codes are no luck


def test_recordings_have_the_official_codes_and_levels(networks, recorded):
    """At several rates, with and without silences, and one that is raised before it is encoded. So have their words the official ending."""
    for name, clip in clips().items():
        codes, rms = recording_codes(clip, networks["usual"])
        assert codes.dtype == np.int16
        assert np.array_equal(codes, recorded[f"{name}.codes"]), name
        assert np.float32(rms) == pytest.approx(recorded[f"{name}.rms"][0], rel=1e-6), name
        assert with_final_mark(WORDS[name]) == as_text(recorded[f"{name}.words"])


def test_one_recording_is_cut_and_one_is_raised(recorded):
    n_frames = {name: clip.seconds * 25 for name, clip in clips().items()}
    assert recorded["silences.codes"].shape[1] < 0.8 * n_frames["silences"]
    assert recorded["plain.codes"].shape[1] == int(n_frames["plain"])
    assert recorded["quiet.rms"][0] < LEAST_RMS < recorded["plain.rms"][0]


@torch.inference_mode()
def test_the_codec_has_the_official_codes_and_samples_at_any_length(networks):
    theirs, network = golden.read(GOLDEN / "codec.safetensors"), networks["usual"]
    for n_frames in CODEC_FRAMES:
        codes = network.encoder.encode(torch.from_numpy(made_samples(n_frames))[None])
        assert np.array_equal(codes[0], theirs[f"{n_frames}.codes"]), n_frames
        samples = network.decoder.decode(torch.from_numpy(made_codes(n_frames))[None])[0]
        assert not close(thinned(samples.numpy()), theirs[f"{n_frames}.samples"]), n_frames
        assert not close(torch.stack([samples[:40], samples[-40:]]), theirs[f"{n_frames}.ends"]), n_frames


def test_prompts_have_the_official_ids(networks, references):
    """Of texts with tags, ideographs, line ends and pronunciations, in every style, with and without a voice."""
    theirs, tokenizer = golden.read(GOLDEN / "prompts.safetensors"), networks["usual"].tokenizer
    for number, prompt in enumerate(PROMPTS):
        words = references[prompt.voice][0] if prompt.voice else None
        description = voice_description(prompt.instructions or "", prompt.text)
        ids = prompt_ids(tokenizer, prompt.text, words, language=prompt.language, description=description, denoise=prompt.denoise)
        assert ids == theirs[str(number)].tolist(), prompt


def test_texts_of_every_script_are_as_long_as_the_official_rule_makes_them():
    theirs = golden.read(GOLDEN / "lengths.safetensors")
    assert len(SCRIPTS) > 20
    for name, text in SCRIPTS.items():
        assert spoken_weight(text) == pytest.approx(theirs[f"{name}.weight"][0]), name
        assert [[estimated_frames(text, one, speed) for speed in SPEEDS] for one in REFERENCES] == theirs[f"{name}.frames"].tolist(), name
    codes = [code for code in CODE_POINTS if category(chr(code)) != "Cs"]
    pairs = zip(codes, theirs["characters"].tolist(), strict=True)
    differing = [(code, their) for code, their in pairs if their != round(spoken_weight(chr(code)) * 10)]
    assert not differing or unidata_version != OFFICIAL_UNICODE
    assert len(differing) < len(codes) / 100
    # Both ask the Unicode of their Python: what came later was no character to the official one, and weighs by where it stands.
    assert all(their == round(range_weight(code) * 10) for code, their in differing)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("padded", [False, True])
def test_both_branches_in_one_pass_have_the_official_logits(networks, references, shape, padded):
    """Which the official package computes in two padded rows; after a recording, and after none."""
    theirs, network = golden.read(GOLDEN / f"logits_{shape}.safetensors"), networks[shape]
    for name, n_frames in (("plain", 6), (None, 3)):
        prompt = by_hand.prompt_rows(network, TEXT, references[name], "elderly")
        made = by_hand.logits(network, prompt, half_masked(n_frames), padded=padded)
        for branch, mine in zip(("conditional", "unconditional"), made, strict=True):
            assert not close(mine[..., ::LOOKED_AT], theirs[f"{name}.{branch}"]), (name, branch)


def _settings(case: Spoken) -> dict[str, float]:
    return case.given | {"seed": case.seed or 0}


@pytest.mark.parametrize("case", SPOKEN, ids=lambda case: case.name)
def test_a_sentence_is_settled_as_the_official_package_does_it(networks, references, case):
    """With nothing left to chance, and drawing order and codes from the same noise."""
    prompt = by_hand.prompt_rows(networks[case.shape], TEXT, references[case.voice])
    batched_decoder = by_hand.decoder_of(networks[case.shape], padded=False)
    (codes,) = by_hand.settled(batched_decoder, [prompt], [case.n_frames], _settings(case))
    assert np.array_equal(codes, golden.read(GOLDEN / f"spoken_{case.shape}.safetensors")[case.name])


def test_sentences_in_one_step_are_settled_as_alone(networks, references):
    """The official batch was held against its sentences when the goldens were made."""
    theirs, network = golden.read(GOLDEN / "spoken_usual.safetensors"), networks["usual"]
    batched_decoder = by_hand.decoder_of(network, padded=True, width=4)
    prompts = [by_hand.prompt_rows(network, TEXT, references[case.voice]) for case in TOGETHER]
    made = by_hand.settled(batched_decoder, prompts, [case.n_frames for case in TOGETHER], _settings(TOGETHER[0]))
    assert {n for n, _ in batched_decoder._areas} == {1, len(TOGETHER)}  # together until the shortest was settled, then each alone
    for case, codes in zip(TOGETHER, made, strict=True):
        assert np.array_equal(codes, theirs[case.name]), case.name


@pytest.mark.parametrize(("shape", "voice"), [("usual", "plain"), ("sparse", None)])
def test_the_pieces_of_a_long_text_are_spoken_as_the_official_package_speaks_them(networks, references, shape, voice):
    """Each behind the same recording; where there is none, behind the first piece."""
    theirs, network, reference = golden.read(GOLDEN / f"chunks_{shape}.safetensors"), networks[shape], references[voice]
    told = (reference[0], reference[1].shape[1]) if reference else None
    whole_and_pieces = [LONG, *as_text(theirs["long.pieces"]).split("\n")]
    assert [estimated_frames(text, told) for text in whole_and_pieces] == theirs["long.n_frames"].tolist()
    assert theirs["long.n_frames"][0] > 30 * 25
    batched_decoder, pieces = by_hand.decoder_of(network, padded=False), as_text(theirs["pieces"]).split("\n")
    assert "".join(pieces).replace(" ", "") == CUT_TEXT.replace(" ", "")
    settings = {name: value for name, value in SHORTENED.items() if not name.startswith("audio_chunk")}
    for number, text in enumerate(pieces):
        told = (reference[0], reference[1].shape[1]) if reference else None
        (codes,) = by_hand.settled(
            batched_decoder, [by_hand.prompt_rows(network, text, reference)], [estimated_frames(text, told)], settings
        )
        assert np.array_equal(codes, theirs[str(number)]), text
        reference = reference or (text, codes)


@pytest.fixture(scope="module")
def engines(networks) -> Iterator[dict[str, OmniVoiceEngine]]:
    opened = {shape: OmniVoiceEngine(PACKAGE.info, network) for shape, network in networks.items()}
    yield opened
    for engine in opened.values():
        engine.close()


@pytest.fixture(scope="module")
def prompts(engines) -> dict[str | None, SpeakerPrompt]:
    """By clip. The shapes have one codec, so that one engine's voices are the other's too."""
    engine = engines["usual"]
    return {None: engine.preset("design")} | {name: engine.extract(clip, Transcript(WORDS[name])) for name, clip in clips().items()}


@pytest.mark.parametrize("case", HEARD, ids=lambda case: case.name)
def test_the_engine_says_what_the_official_package_says(engines, prompts, case):
    """From the clip to the last sample, but for the pad before it, for which nobody has to wait."""
    theirs = golden.read(GOLDEN / f"heard_{case.name}.safetensors")
    given = case.settings | AT_ONCE | {"seed": case.seed, "language": case.language, "instructions": case.instructions or ""}
    engine = engines[case.shape]
    speech = engine.stream(case.text, prompts[case.voice], resolve_options(engine.info.options, given))
    samples = np.concatenate([np.zeros(PAD_SAMPLES, np.float32), *speech])
    assert len(samples) == theirs["n_samples"][0]
    ends = np.stack([samples[: CODEC_RATE // 5 : 97], samples[-CODEC_RATE // 5 :: 97]])
    for mine, official in ((thinned(samples), theirs["samples"]), (ends, theirs["ends"])):
        assert not close(mine, official, tolerance=TWO_LEVELS)
        assert np.mean(np.abs(mine - official) > TOLERANCE) < MOST_OTHERWISE
