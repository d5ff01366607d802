"""Claims about names of stimuli: system and text are told apart by the names of a study alone, whatever rule it follows."""

import pytest

from studio.listening.foreign.stimulus_names import NameParts, parts_of_names

SYSTEMS, TEXTS = ("hifi_gan", "vits"), ("001", "002", "003")
RULES = {
    "folders": "configs/resources/{system}/{text}.wav",
    "system before": "wavs/{system}_{text}.wav",
    "system behind": "{text}-{system}.flac",
    "no folder, no ending": "{system}_clip{text}",
    "folders within folders": "p225/{system}/take/{text}.wav",
    "corpus": "{system}_LJ050-0{text}.wav",
}


@pytest.mark.parametrize("rule", RULES)
def test_systems_and_texts_are_told_apart(rule):
    names = {RULES[rule].format(system=system, text=text): (system, text) for system in SYSTEMS for text in TEXTS}
    found = parts_of_names(list(names))
    assert {name: part.system for name, part in found.items()} == {name: system for name, (system, _) in names.items()}
    assert all(found[name].text.endswith(text) for name, (_, text) in names.items())
    assert len({part.text for part in found.values()}) == len(TEXTS)


def test_a_random_part_of_a_corpus_is_told_apart_too():
    names = [f"m/vocoder_wavernn_{n:04}.wav" for n in (89, 27, 3)] + [f"m/vocoder_waveglow_{n:04}.wav" for n in (27, 12)]
    assert {part.system for part in parts_of_names([*names, "m/original_0047.wav", "m/original_0089.wav"]).values()} == {
        "vocoder_wavernn",
        "vocoder_waveglow",
        "original",
    }


def test_names_without_a_rule_are_texts_of_one_system():
    assert parts_of_names(["door.wav", "tree.wav"]) == {"door.wav": NameParts("", "door"), "tree.wav": NameParts("", "tree")}
    assert parts_of_names([]) == {}
