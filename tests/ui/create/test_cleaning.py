"""Claims about a region that is cleaned at a press, without a browser."""

import base64

import numpy as np
import pytest

from engines.clips import cleaning
from engines.clips.clip import Clip
from studio.speakers import clip_draft
from studio.speakers.clip_draft import ClipDraft, ClipDrafts
from studio.ui.clips.clip_intake import region_of, region_sound
from tests.ui.clips.clips import speech_like

RATE = 16_000


@pytest.fixture
def draft() -> ClipDraft:
    return ClipDraft(Clip(speech_like(40.0, RATE), RATE))


@pytest.fixture
def drafts(draft, monkeypatch) -> ClipDrafts:
    """Cleaning is counted, and halves the samples."""
    monkeypatch.setattr(clip_draft, "cleaned_clip", halved := Halved())
    drafts = ClipDrafts()
    drafts.keep(draft)
    drafts.halved = halved
    return drafts


class Halved:
    """Stands for the network: n_cleaned clips so far."""

    n_cleaned = 0

    def __call__(self, clip: Clip) -> Clip:
        self.n_cleaned += 1
        return Clip(clip.samples / 2, clip.sample_rate)


def asked_of(draft: ClipDraft, start: int = 0, end: int = 2000, **more: bool) -> dict[str, object]:
    return {"draft": draft.id, "start": start, "end": end} | more


def test_a_cleaned_region_is_heard_beside_the_recorded_one_which_stays(draft, drafts):
    as_recorded, cleaned = (region_of(drafts, asked_of(draft, **more))[1] for more in ({}, {"is_clean": True}))
    assert np.array_equal(as_recorded.samples, draft.clip.samples[: 2 * RATE])
    assert np.array_equal(cleaned.samples, as_recorded.samples / 2)
    first, second = (region_sound(drafts, asked_of(draft, **more))["pcm"] for more in ({}, {"is_clean": True}))
    assert np.abs(np.frombuffer(base64.b64decode(second), "<i2")).max() < 0.6 * np.abs(np.frombuffer(base64.b64decode(first), "<i2")).max()
    assert np.array_equal(region_of(drafts, asked_of(draft, is_clean=False))[1].samples, as_recorded.samples)


def test_a_region_is_cleaned_once_and_another_one_anew(draft, drafts):
    for end in (2000, 2000, 3000):
        region_of(drafts, asked_of(draft, end=end, is_clean=True))
    assert drafts.halved.n_cleaned == 2


def test_what_is_longer_than_is_learned_from_is_not_cleaned(draft, drafts):
    problem = region_sound(drafts, asked_of(draft, end=40_000, is_clean=True))["problem"]
    assert problem["code"] == "clip_too_long"
    assert drafts.halved.n_cleaned == 0


def test_without_the_package_it_is_not_offered(monkeypatch):
    monkeypatch.setattr(cleaning, "_PACKAGE", "no_such_package")
    assert not cleaning.can_clean()
