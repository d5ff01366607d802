"""The sentence pool of the asset is what the prior hears eSpeak say."""

from dataclasses import replace

import numpy as np
import pytest

from engines.errors import CheckpointInvalid
from engines.espeak.speaker.enrollment import Pool
from engines.espeak.training.spoken_pool import POOL_SENTENCES, pool_tensors

SPOKEN = 2  # sentences that are compared
MOST_STEPS = 1  # of the asset's integers, by which another processor may round apart


def test_the_asset_has_every_sentence_as_the_prior_hears_it(prior):
    made = pool_tensors(prior, POOL_SENTENCES[:SPOKEN])
    kept = prior.pool
    first = kept["segment"] < SPOKEN
    assert np.array_equal(kept["segment"][first], made["pool.segment"])
    assert np.abs(kept["hidden"][first].astype(int) - made["pool.hidden"]).max() <= MOST_STEPS
    assert np.array_equal(np.unique(kept["segment"]), np.arange(len(POOL_SENTENCES)))


def test_features_are_what_was_kept_and_a_constant(prior):
    pool = Pool.of(prior)
    assert pool.hidden.shape == (len(pool.segment), prior.heads.shape[1])
    assert (pool.hidden[:, -1] == 1).all() and np.abs(pool.hidden[:, :-1]).max() <= 1


def test_a_prior_without_a_pool_is_refused(prior):
    with pytest.raises(CheckpointInvalid, match="no sentence pool"):
        Pool.of(replace(prior, pool={}))
