"""Properties of a clip that OmniVoice accepts but makes less of, as data."""

from engines.contract.clip_wishes import ClipWishes
from engines.omnivoice.text.duration import FRAMES_PER_SECOND, LEAST_WEIGHT, MOST_WEIGHT
from engines.text.spoken_length import SECONDS_PER_WEIGHT

__all__ = ["CLIP_WISHES"]

# Words of so much weight per frame as seconds over seconds: 0.53 to 2.1. The engine counts the frames of short pauses as well, so that of
# halting speech a little less is enough.
WORDS_OVER_SPEECH = (LEAST_WEIGHT * FRAMES_PER_SECOND * SECONDS_PER_WEIGHT, MOST_WEIGHT * FRAMES_PER_SECOND * SECONDS_PER_WEIGHT)
# Upstream's warning of long recordings (omnivoice/models/omnivoice.py, create_voice_clone_prompt @ 468e927), and its README.
CLIP_WISHES = ClipWishes(words_over_speech=WORDS_OVER_SPEECH, best_seconds=(3.0, 10.0), most_seconds=20.0)
