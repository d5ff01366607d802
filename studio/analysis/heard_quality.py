"""Quality of a clip with what the speaker encoder hears of it: signs of a second person. For doors; no engine needs it to speak."""

from dataclasses import replace

from engines.clips.clip import Clip, ClipSound
from engines.clips.clip_quality import ClipQuality, measure_clip
from engines.clips.speech_activity import SpeechActivity

__all__ = ["heard_quality"]

LEAST_SPEECH_SECONDS = 4.0  # of less the encoder can tell nothing, and is not opened


def heard_quality(clip: Clip) -> ClipQuality:
    """What `measure_clip` gives, and where a second voice seems to be. Recordings of a clip are held against each other.

    Raises nothing. For worker threads: ten seconds take some 60 ms more than `measure_clip`.
    """
    sound = ClipSound.of(clip)
    if sound.is_silent:
        return measure_clip(clip)
    activity = SpeechActivity.of(clip, sound)
    quality = measure_clip(clip, activity)
    if quality.speech_seconds < LEAST_SPEECH_SECONDS:
        return quality
    from engines.kit.speaker.second_speaker import SecondSpeaker, SpeakerWindows
    from engines.kit.speaker.speaker_encoder import SpeakerEncoder  # wants torch

    found = SecondSpeaker.among(SpeakerWindows.of(SpeakerEncoder.shared(), clip, activity))
    return replace(quality, n_speakers=2, second_speaker=found.spans) if found.is_a_sign else quality
