"""The sentence pool as a prior hears it, for its asset: its sentences, and the frames that enrollment matches clips to."""

from collections.abc import Sequence

import numpy as np

from engines.espeak.prior.espeak_frames import PacedFrames
from engines.espeak.prior.prior import Prior
from engines.espeak.speaker.enrollment import EVERY_FRAMES, HIDDEN_STEPS
from engines.kit.phonemes import espeak_library
from engines.kit.phonemes.languages import language_of
from engines.kit.signal.clip_analysis import speech_frames

__all__ = ["POOL_SENTENCES", "pool_tensors"]

POOL_SENTENCES = (
    "A quick brown fox jumps over the lazy dog while the judge watches.",
    "Joyful children played with the yellow toys beneath the large oak.",
    "The azure sky and the beige walls gave the house a certain charm.",
    "Choose a proper shade of blue for the bathroom ceiling.",
    "Why did Roy avoid the noisy boys at the oyster bar?",
    "She sells fresh fish, chips and pickled onions by the shore.",
    "Nothing would make him change his mind about the voyage.",
    "Put the cup down and pull the curtain back a little.",
    "Every Thursday the nurse checks the patient's heart and lungs.",
    "Ten tiny turtles tried to cross the dusty track at noon.",
    "Which church chose to charge a change fee for the chairs?",
    "We were away when the west wind went wild.",
    "Both of my cousins usually arrive before breakfast on Saturdays.",
    "Thick fog covered the harbour, and few ships dared to move.",
    "He put the wooden box on the shelf and shook his head.",
    "The engineer measured the width of the bridge very carefully.",
    "Is that your final answer, or would you rather think about it?",
    "Vision and hearing are both affected by age.",
    "The zoo has a giraffe, two zebras and a sleepy old bear.",
    "A loud thunder clap shook the ground beneath our feet.",
    "George owns a huge garage with eight vintage cars.",
    "Yes, we could use a few more volunteers on Wednesday.",
    "The king's army marched through the valley during the night.",
    "Measure the flour, add some butter, and stir the mixture.",
)


def pool_tensors(prior: Prior, sentences: Sequence[str] = POOL_SENTENCES) -> dict[str, np.ndarray]:
    """Tensors by the names that the asset gives them: hidden features of every second speech frame (N, U) int8, without the constant and
    in HIDDEN_STEPS; segment (N,) uint8, which sentence.
    """
    english, hidden, segment = language_of("", "en"), [], []
    for number, sentence in enumerate(sentences):
        source = PacedFrames.of(espeak_library.speak(sentence, english.voice), prior, english, paced=False)
        features = source.hidden(source.n_frames)
        frames = np.nonzero(speech_frames(source.level(0, source.n_frames)))[0][::EVERY_FRAMES]
        hidden.append(features[frames, :-1])
        segment.append(np.full(len(frames), number, np.uint8))
    return {"pool.hidden": np.round(np.concatenate(hidden) * HIDDEN_STEPS).astype(np.int8), "pool.segment": np.concatenate(segment)}
