"""Options of a command that say whose voices are measured."""

import argparse
from pathlib import Path

from studio.measure.quality.quality_prompts import PROMPT_PEOPLE, prompt_speaker
from studio.measure.quality.quality_speakers import ClonedSpeaker, demo_speaker, flite_speaker, recorded_speaker

__all__ = ["add_speaker_options", "chosen_speakers"]


def add_speaker_options(parser: argparse.ArgumentParser) -> None:
    """--no-demo, --prompts, --voices, --flite and --seconds."""
    parser.add_argument("--no-demo", action="store_true", help="leave the demo's speaker out")
    people = "people of Debian's asterisk-core-sounds-*-g722, all where none is named: " + ", ".join(PROMPT_PEOPLE)
    parser.add_argument("--prompts", nargs="*", choices=PROMPT_PEOPLE, metavar="FOLDER", help=people)
    parser.add_argument("--voices", nargs="*", default=[], metavar="NAME=PLACE", help="WAV files, or folders of them, of one speaker each")
    parser.add_argument("--flite", nargs="*", default=[], metavar="VOICE", help="voices of flite, such as slt rms awb kal16")
    parser.add_argument("--seconds", type=float, default=10.0, help="of recording that is cloned from")


def chosen_speakers(arguments: argparse.Namespace, language: str) -> tuple[ClonedSpeaker, ...]:
    """language: of the words that lie beside files of --voices. Raises OSError, ValueError."""
    seconds = arguments.seconds
    speakers = [] if arguments.no_demo else [demo_speaker()]
    prompts = list(PROMPT_PEOPLE) if arguments.prompts == [] else arguments.prompts or []
    speakers += [prompt_speaker(folder, seconds) for folder in prompts]
    speakers += [flite_speaker(voice, seconds) for voice in arguments.flite]
    for name, _, place in (item.partition("=") for item in arguments.voices):
        speakers.append(recorded_speaker(name, Path(place), seconds, language))
    return tuple(speakers)
