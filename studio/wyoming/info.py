"""The answer to `describe`: one program that speaks, with all voices, and one that hears where the transcriber is.

One, since Home Assistant takes the first of each kind, and shows its voices by their languages.
"""

from wyoming.info import AsrModel, AsrProgram, Attribution, Info, TtsProgram, TtsVoice

from studio import __version__
from studio.service import Studio
from studio.wyoming.voices import ListedVoice, listed_voices

__all__ = ["PROGRAM", "described"]

PROGRAM = "Voice cloning studio"  # as Home Assistant calls what it finds
OURS = Attribution(PROGRAM, "")


def described(studio: Studio) -> Info:
    """Blocks: it looks at the folder of speakers."""
    voices = [_voice(voice) for voice in listed_voices(studio)]
    tts = TtsProgram(
        PROGRAM, OURS, installed=True, description="Text to speech", version=__version__, voices=voices, supports_synthesize_streaming=True
    )
    return Info(tts=[tts] if voices else [], asr=_hearing(studio))


def _voice(voice: ListedVoice) -> TtsVoice:
    by = Attribution(voice.maker, voice.link) if voice.maker else OURS
    return TtsVoice(voice.name, by, installed=True, description=voice.description, version=None, languages=list(voice.languages))


def _hearing(studio: Studio) -> list[AsrProgram]:
    transcriber = studio.transcriber
    if not transcriber.is_here:
        return []
    model = AsrModel(
        transcriber.name, OURS, installed=True, description=transcriber.name, version=__version__, languages=list(transcriber.languages)
    )
    return [AsrProgram(PROGRAM, OURS, installed=True, description="Speech to text", version=__version__, models=[model])]
