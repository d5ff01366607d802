"""What agents and programs are told of the studio's tools: one text per tool and per argument, whichever way they come.

MCP, `/agents.md` and the endpoints of Gradio's clients say the same. It is English, as all that programs are told.
"""

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["ABOUT", "TOOL_WORDS", "ToolWords"]

ABOUT = (
    "A voice studio: it speaks texts in voices cloned from short recordings, and in built-in ones. Call `voices` first: it lists whom you "
    "can hear and which engines speak. `speak` gives sound and a link to it. Clone nobody without their consent."
)


@dataclass(frozen=True)
class ToolWords:
    """title: a short name. about: what it does. gives: what comes back. arguments: what each is, by name."""

    title: str
    about: str
    gives: str
    arguments: Mapping[str, str]


_WHO = (
    "A name that `voices` lists, or a blend of built-in ones (one:0.6+other:0.4) where the engine blends them; empty for the engine's own."
)
_LANGUAGE = 'Of the text: a code such as "de", or a name such as "German"; empty to let the engine tell.'
_OPTIONS = (
    'Further options by name, such as {"seed": 7, "speed": 1.2}, or {"instructions": "a young woman, gentle and slow"} where the engine '
    "takes instructions."
)
_RECORDING = "An audio file (WAV, FLAC, MP3, OGG, M4A) in base64, also as a data: URL"
_ENGINE = "Id of the speech model, as `voices` lists it; empty for the one that suits the voice."
_FORMAT = "Of the sound: mp3, wav, flac, opus or aac."
_SOUND = "The sound can be fetched for ten minutes from its link, by whoever has it."

TOOL_WORDS: dict[str, ToolWords] = {
    "speak": ToolWords(
        "Speak a text",
        "Speak a text in a cloned or built-in voice.",
        f"The sound, its length, who spoke, why it ended, and what was not heeded. {_SOUND}",
        {
            "text": "What to say, up to 20 000 characters.",
            "voice": _WHO,
            "engine": _ENGINE,
            "language": _LANGUAGE,
            "format": _FORMAT,
            "options": _OPTIONS,
        },
    ),
    "convert": ToolWords(
        "Say a recording again",
        "Say recorded speech again in a cloned voice, with its words, pace and tone. Nothing of the recording is kept.",
        f"What `speak` gives. {_SOUND}",
        {
            "recording": f"{_RECORDING}; of as many seconds as the engine takes, which is 30 where it says nothing else.",
            "voice": _WHO,
            "engine": "Id of a speech model that converts; empty for the first that does and has the voice.",
            "options": 'Options of the engine by name, such as {"seed": 7, "speed": 1.2}.',
        },
    ),
    "compare": ToolWords(
        "Compare voices or engines",
        "Speak one text in two to six ways, and tell how they differ. For a decision between voices ask listeners who see no names.",
        f"Of each way what `speak` gives, its loudness in LUFS, and the time to its first sound; or why it failed. {_SOUND}",
        {
            "text": "What to say, up to 20 000 characters; short ones compare best.",
            "lanes": 'Two to six of {"voice", "engine", "options"}, each as `speak` takes it, and each may be left out.',
            "language": _LANGUAGE,
            "format": _FORMAT,
            "measures": "Whether each also gets estimates by programs: likeness to the voice's recording, words missed, predicted quality.",
        },
    ),
    "voices": ToolWords(
        "List voices and engines",
        "List the voices that can speak here: those that the caller made, and those that everybody has.",
        "Voices, those that are built into an engine among them, and the engines that speak. `own` voices can be deleted; `learned_by` "
        "names the engines that know a voice already, so that it speaks at once; `unusable` tells why one cannot be spoken with.",
        {"engine": "Id of an engine, to list only what it can speak with; empty for all."},
    ),
    "create_voice": ToolWords(
        "Clone a voice",
        "Make a voice from a recording of 1 to 30 seconds of one person's speech; 8 to 15 work best. A voice of that name that the caller "
        "made is replaced.",
        "The voice, how good its recording is, and which engines can speak with it.",
        {
            "name": "What to call it.",
            "recording": f"{_RECORDING}; or its http(s) address where the studio fetches recordings.",
            "consent": "The consent of the person whose voice it is, in a few words. Ask for it; never make it up.",
            "transcript": "The words of the recording, exactly; empty if not known: then they are written down where the studio can. Some "
            "engines clone better with them, and some need them.",
            "language": 'Of the recording: a code such as "de", or a name such as "German".',
            "description": "A few words about the voice, for people.",
        },
    ),
    "delete_voice": ToolWords(
        "Delete a voice",
        "Delete a voice that the caller made: its recording and everything learned from it, for good.",
        "Its name, the listening tests that were made with it, and the scripts in which it speaks. Tests keep their sounds, its recording "
        "where it is one of them, and scripts their takes, unless they are deleted, too.",
        {
            "name": "A name that `voices` lists as the caller's own.",
            "delete_tests": "Whether listening tests that were made with it go with it, and all that was answered in them.",
            "delete_takes": "Whether what it said in scripts goes with it; their lines stay.",
        },
    ),
    "transcribe": ToolWords(
        "Write down a recording",
        "Write down what is said in a recording of 1 to 30 seconds. Nothing of it is kept.",
        "The words, and the language that was heard.",
        {
            "recording": f"{_RECORDING}; or its http(s) address where the studio fetches recordings.",
            "language": 'Of the recording: a code such as "de", or a name such as "German"; empty to have it heard.',
        },
    ),
}
