"""Claims about the print of a speaker: what it is drawn of, and that it is the drawing that the page's script makes (tests/scripts)."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from engines.clips.clip import Clip
from engines.contract.prompt import embedding_digest
from studio.library.bundle import read_bundle
from studio.speakers.edit import SpeakerEdit
from studio.speakers.speaker import Enrollment
from studio.speakers.tensor import SpeakerTensor
from studio.speakers.voiceprint import PRINT_DIGITS, print_digest, print_svg

GOLDEN = json.loads((Path(__file__).parents[2] / "scripts/voiceprints.json").read_text())
SIZES = (16, 28, 40, 56, 96)


def clip(seed: int) -> Clip:
    return Clip(np.random.default_rng(seed).uniform(-0.3, 0.3, 48_000).astype(np.float32), 24_000)


@pytest.mark.slow
def test_the_drawing_is_the_golden_one_that_the_script_draws_too():
    for golden in GOLDEN["drawings"]:
        assert print_svg(golden["digest"], golden["pixels"]) == golden["svg"]
    digests = [hashlib.sha256(f"recording {i}".encode()).hexdigest() for i in range(200)]
    drawn = "\n".join(print_svg(digest, pixels) for digest in digests for pixels in SIZES)
    assert hashlib.sha256(drawn.encode()).hexdigest() == GOLDEN["sha256_of_200_in_5_sizes"]


def test_the_larger_the_drawing_the_more_contours_and_no_more_of_a_digest_than_is_drawn():
    digest = clip(1).digest
    assert [print_svg(digest, pixels).count("<path") for pixels in SIZES] == [1, 2, 3, 4, 5]
    assert print_svg(digest) == print_svg(digest[:PRINT_DIGITS]) != print_svg(clip(2).digest)
    assert "<path" not in print_svg("")


def test_a_recording_has_its_print_whatever_is_said_about_it_and_another_recording_another_one(open_studio):
    studio = open_studio(warm_uploads=False)
    studio.enroll(Enrollment("Ana", "own", clip=clip(1)))
    first = print_digest(studio.speaker("Ana"))
    assert first == clip(1).digest[:PRINT_DIGITS]
    studio.library.edit("Ana", SpeakerEdit("Bea", description="a reader"))
    assert print_digest(studio.speaker("Bea")) == first
    imported = read_bundle(studio.library.export("Bea")[1]).recording
    studio.forget("Bea")
    studio.enroll(imported)
    assert print_digest(studio.speaker("Bea")) == first
    studio.enroll(Enrollment("Bea", "own", clip=clip(2)))
    assert print_digest(studio.speaker("Bea")) == clip(2).digest[:PRINT_DIGITS] != first


def test_numbers_and_built_in_speakers_have_a_print_of_their_own(open_studio):
    studio = open_studio()
    numbers = np.ones(8, np.float32)
    studio.enroll(Enrollment("Vector", "own", tensor=SpeakerTensor.of(numbers)))
    of_numbers = print_digest(studio.speaker("Vector"))
    assert len(of_numbers) == PRINT_DIGITS and embedding_digest(numbers).endswith(hashlib.sha256(numbers.tobytes()).hexdigest())
    assert hashlib.sha256(numbers.tobytes()).hexdigest().startswith(of_numbers)
    built_in = print_digest(None, engine="fake", preset="tone")
    assert built_in == hashlib.sha256(b"fake:tone").hexdigest()[:PRINT_DIGITS] != print_digest(None, engine="other", preset="tone")
    assert print_digest(None, engine="fake", preset=None) == ""
