"""Claims about names while they are typed, without a browser."""

import numpy as np

from engines.clips.clip import Clip
from studio.service import Studio
from studio.speakers.speaker import Enrollment
from studio.ui.clips.clip_report import judge_name


def enroll(studio: Studio, name: str) -> None:
    samples = np.random.default_rng(1).uniform(-0.3, 0.3, 48_000).astype(np.float32)
    studio.enroll(Enrollment(name, "her own", clip=Clip(samples, 24_000)))


def test_a_name_that_is_taken_says_so_while_it_is_typed_and_what_can_be_done(open_studio):
    studio = open_studio(warm_uploads=False)
    assert judge_name(studio, {"name": "Ana"}) == {"clash": None}
    enroll(studio, "Ana")
    clash = judge_name(studio, {"name": " ANA "})["clash"]
    assert (clash["free_name"], clash["can_replace"]) == ("ANA (2)", True)
    assert (clash["held_by"], clash["name"]) == ("own", "Ana")
    assert judge_name(studio, {"name": "ana", "but": "Ana"}) == {"clash": None}
    assert judge_name(studio, {"name": "tone"})["clash"]["held_by"] == "built_in"
    clash = judge_name(studio.within("visitor:one"), {"name": "Ana"})["clash"]
    assert (clash["held_by"], clash["can_replace"]) == ("everybody", False)


def test_a_studio_that_replaces_none_does_not_offer_it(open_studio):
    studio = open_studio(registration_policy="immutable", warm_uploads=False)
    enroll(studio, "Ana")
    clash = judge_name(studio, {"name": "Ana"})["clash"]
    assert (clash["held_by"], clash["can_replace"]) == ("immutable", False)
