"""What a script sees of a slot tells nothing, short of comparing waveforms."""

import numpy as np

from studio.listening.plan.materials import wav_bytes
from studio.listening.render.slot_sound import MOST_GAIN_DB, MOST_SHIFT_SAMPLES, slot_wav

SOUND = np.pad(np.random.default_rng(0).standard_normal(24_000).astype(np.float32) * 0.1, 7200)
FILE = wav_bytes(SOUND)


def samples(data: bytes) -> np.ndarray:
    return np.frombuffer(data, "<i2", offset=44).astype(int)


def test_the_same_sound_in_another_slot_has_other_bytes_of_the_same_number_and_each_slot_the_same_again():
    served = [slot_wav(FILE, "item", f"slot {n}") for n in range(8)]
    assert len(set(served)) == 8 and {len(each) for each in served} == {len(FILE)} and FILE not in served
    assert served[3] == slot_wav(FILE, "item", "slot 3") and served[3] != slot_wav(FILE, "another item", "slot 3")
    assert {each[:44] for each in served} == {FILE[:44]}


def test_lowest_bits_beginnings_and_levels_tell_nothing_and_nothing_is_heard_of_it():
    served = [samples(slot_wav(FILE, "item", f"slot {n}")) for n in range(6)]
    lowest = [each & 1 for each in served]
    assert all(abs(np.corrcoef(lowest[0], other)[0, 1]) < 0.03 for other in lowest[1:])
    starts = [int(np.argmax(np.abs(each) > 300)) for each in served]
    assert len(set(starts)) > 3 and max(starts) - min(starts) <= MOST_SHIFT_SAMPLES + 24
    levels = [20 * np.log10(np.sqrt(np.mean(np.square(each / 32768)))) for each in served]
    assert len({round(level, 3) for level in levels}) > 3 and max(levels) - min(levels) <= 2 * MOST_GAIN_DB + 0.01


def test_what_is_no_file_of_a_test_is_served_as_it_is():
    assert slot_wav(b"no sound", "item", "slot") == b"no sound"
    assert slot_wav(FILE + b"more", "item", "slot") == FILE + b"more"
