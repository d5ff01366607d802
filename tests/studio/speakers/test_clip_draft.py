"""Claims about clips that are about to be enrolled: kept in memory, cut exactly, forgotten."""

import numpy as np
import pytest

from engines.clips.clip import Clip
from engines.errors import ClipUnusable
from studio.speakers import clip_draft
from studio.speakers.clip_draft import AllDrafts, ClipDraft, ClipDrafts, DraftGone

RATE = 44_100


def noise(seconds: float, rate: int = RATE) -> Clip:
    return Clip(np.random.default_rng(0).uniform(-0.5, 0.5, round(seconds * rate)).astype(np.float32), rate)


def test_a_region_holds_exactly_the_samples_between_its_ends():
    draft = ClipDraft(noise(2.0))
    region = draft.region(500, 1501)
    assert np.array_equal(region.samples, draft.clip.samples[22_050:66_194])
    assert region.sample_rate == RATE


def test_from_nothing_to_the_end_is_the_whole_clip_however_long_it_is():
    for n_samples in (RATE, RATE + 1, RATE + 43, 2 * RATE - 1):
        draft = ClipDraft(Clip(np.ones(n_samples, np.float32), RATE))
        assert draft.region(0, draft.milliseconds) is draft.clip


@pytest.mark.parametrize("ends", [(500, 500), (900, 100), (3000, 4000)])
def test_an_empty_region_is_refused(ends):
    with pytest.raises(ClipUnusable, match="Nothing is kept"):
        ClipDraft(noise(2.0)).region(*ends)


def test_a_draft_is_known_by_its_secret_alone_until_it_is_dropped():
    drafts = ClipDrafts()
    one, other = drafts.keep(ClipDraft(noise(1))), drafts.keep(ClipDraft(noise(1)))
    assert len({one.id, other.id}) == 2 and len(one.id) >= 32
    assert drafts.get(one.id) is one
    drafts.drop(one.id)
    drafts.drop("never was")
    with pytest.raises(DraftGone):
        drafts.get(one.id)
    assert drafts.get(other.id) is other


def test_the_draft_that_was_looked_at_longest_ago_makes_room():
    drafts = ClipDrafts(AllDrafts(most_bytes=3 * 4 * RATE))
    first, second, third = (drafts.keep(ClipDraft(noise(1))) for _ in range(3))
    drafts.get(first.id)
    drafts.keep(ClipDraft(noise(1)))
    with pytest.raises(DraftGone):
        drafts.get(second.id)
    assert drafts.get(first.id) is first and drafts.get(third.id) is third


def test_there_is_a_most_number_of_drafts(monkeypatch):
    monkeypatch.setattr(clip_draft, "MOST_DRAFTS", 3)
    drafts = ClipDrafts()
    for _ in range(5):
        drafts.keep(ClipDraft(noise(0.1)))
    assert len(drafts) == 3


def test_a_clip_larger_than_the_bound_is_kept_alone():
    drafts = ClipDrafts(AllDrafts(most_bytes=1))
    drafts.keep(ClipDraft(noise(1)))
    last = drafts.keep(ClipDraft(noise(1)))
    assert len(drafts) == 1 and drafts.get(last.id) is last


def test_nobody_looks_for_an_hour_and_the_draft_is_gone():
    now = [0.0]
    drafts = ClipDrafts(AllDrafts(clock=lambda: now[0]))
    draft = drafts.keep(ClipDraft(noise(1)))
    now[0] = 3000
    drafts.get(draft.id)
    now[0] = 6000
    assert drafts.get(draft.id) is draft
    now[0] = 9601
    assert len(drafts) == 0


def test_more_than_ten_minutes_are_refused():
    with pytest.raises(ClipUnusable) as refusal:
        ClipDrafts().keep(ClipDraft(noise(601, 1_000)))
    assert refusal.value.code == "clip_too_long"
    assert len(ClipDrafts()) == 0
