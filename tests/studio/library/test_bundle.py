"""Bundles from strangers: what is not exactly what a studio exports is refused, in words, before anything is believed."""

import hashlib
import io
import json
import pickle
import random
import stat
import zipfile
from dataclasses import asdict, replace

import numpy as np
import pytest

from engines.clips.clip import Clip
from engines.contract.prompt import SpeakerPrompt
from studio.errors import BundleUnusable, NameInvalid
from studio.library.bundle import read_bundle, write_bundle
from studio.library.bundle_archive import MOST_MEMBERS, pack, refuse_pickle, unpack
from studio.prompt_key import PromptKey
from studio.speakers.consent import record_consent
from studio.speakers.speaker import Speaker


def clip_of(kind: str) -> Clip:
    samples = np.random.default_rng(5).uniform(-1, 1, 24_000).astype(np.float32)
    if kind in ("16 bits", "a signed zero"):
        samples = np.rint(samples * 32767).astype(np.int16).astype(np.float32) / np.float32(32768)
    if kind == "stereo of 16 bits":
        samples = np.rint(samples * 65535).astype(np.int32).astype(np.float32) / np.float32(65536)
    if kind == "a signed zero":
        samples[7] = -0.0
    if kind == "beyond full scale":
        samples = samples * 3
    return Clip(samples, 768_000 if kind == "a high rate" else 24_000)


def speaker_of(clip: Clip, **more) -> Speaker:
    return Speaker(
        more.pop("name", "Ana"), "0" * 32, "own", 7, clip_digest=clip.digest, seconds=clip.seconds, sample_rate=clip.sample_rate,
        read_clip=lambda: clip, **more,
    )  # fmt: skip


def prompt_of(clip: Clip) -> tuple[PromptKey, SpeakerPrompt]:
    identity = ("fake", "1", "weights", "fp32", clip.digest)
    return PromptKey(*identity), SpeakerPrompt(*identity, tensors={"x": np.ones(8, np.float32)})


CLIP = clip_of("16 bits")
GOOD = write_bundle(speaker_of(CLIP), [prompt_of(CLIP)])
MEMBERS = unpack(GOOD)


def altered(*, seal: bool = True, drop: tuple[str, ...] = (), **changes) -> bytes:
    """The good bundle with members changed or added, hashed anew. A keyword `manifest` updates the manifest."""
    manifest = json.loads(MEMBERS["manifest.json"]) | changes.pop("manifest", {})
    members = {name: data for name, data in MEMBERS.items() if name not in ("manifest.json", *drop)}
    members |= {name.replace("__", "."): data for name, data in changes.items()}
    if seal:
        manifest["sha256"] = {name: hashlib.sha256(data).hexdigest() for name, data in members.items()}
    return pack({"manifest.json": json.dumps(manifest).encode()} | members)


def raw_zip(*members: tuple[zipfile.ZipInfo | str, bytes], compression=zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return file.getvalue()


@pytest.mark.parametrize(
    ("kind", "member"),
    [
        ("16 bits", "reference.flac"),
        ("stereo of 16 bits", "reference.flac"),
        ("a signed zero", "reference.wav"),
        ("floats", "reference.wav"),
        ("beyond full scale", "reference.wav"),
        ("a high rate", "reference.wav"),
    ],
)
def test_every_recording_comes_back_bit_for_bit(kind, member):
    clip = clip_of(kind)
    data = write_bundle(speaker_of(clip), [])
    assert member in unpack(data)
    assert read_bundle(data).recording.clip.digest == clip.digest


def test_the_manifest_says_what_is_inside_with_consent_and_hashes():
    manifest = json.loads(MEMBERS["manifest.json"])
    assert manifest["format"] == "speaker-bundle/1" and manifest["created_at"] == 7
    assert manifest["consent"] == {"statement": "own", "recording_sha256": CLIP.digest, "record": None}
    assert manifest["sha256"].keys() == MEMBERS.keys() - {"manifest.json"}
    assert [prompt["engine"] for prompt in manifest["prompts"]] == ["fake"]
    assert read_bundle(GOOD).engines == ("fake",)


def test_a_consent_record_comes_along_and_one_about_another_recording_does_not():
    record = record_consent("own", "Ana, today", CLIP.digest)
    data = write_bundle(speaker_of(CLIP, consent_record=record), [])
    assert read_bundle(data).recording.consent_record == record
    foreign = {"statement": "own", "record": asdict(replace(record, clip_digest="0" * 64))}
    for consent in (foreign, {"statement": "own", "record": "nonsense"}, {"statement": "own", "record": [1]}):
        assert read_bundle(altered(manifest={"consent": consent})).recording.consent_record is None


class Bomb:
    def __reduce__(self):
        return (pytest.fail, ("the pickle was opened",))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("name", ["voice.pt", "data.pkl", "x.BIN", "notes.safetensors", "harmless.txt"])
def test_a_pickle_is_refused_by_name_and_by_content_and_never_opened(protocol, name):
    data = pickle.dumps(Bomb(), protocol)
    for bundle in (altered(**{name.replace(".", "__"): data}), data, raw_zip(("archive/data.pkl", data))):
        with pytest.raises(BundleUnusable, match=r"a Python pickle in this file .* We do not open it") as refusal:
            read_bundle(bundle)
        assert refusal.value.code == "bundle_pickle" and "safetensors" in refusal.value.hint


def test_a_name_of_a_pickle_is_enough_to_be_refused():
    with pytest.raises(BundleUnusable, match="pickle"):
        read_bundle(altered(weights__pt=b"not even one"))


def test_no_prompt_is_taken_for_a_pickle_whatever_its_header_is_long():
    """The length comes first: a header of 384 bytes begins as a pickle of protocol 1 would."""
    first_bytes = set()
    for n_letters in range(0, 512, 8):
        prompt = SpeakerPrompt("tone", "1", "w", "fp32", "0" * 64, {"pitch_hz": np.zeros(1, np.float32)}, facts={"pad": "x" * n_letters})
        data = prompt.to_bytes()
        first_bytes.add(data[0])
        refuse_pickle("prompt.safetensors", data)
    assert 0x80 in first_bytes and len(first_bytes) == 32


@pytest.mark.parametrize("name", ["../evil.flac", "/etc/passwd", "a/b.flac", "a\\b.flac", ".hidden", "C:evil", "x" * 300, "folder/", ""])
def test_paths_are_not_taken(name):
    with pytest.raises(BundleUnusable):
        read_bundle(raw_zip((zipfile.ZipInfo(name or "\x01"), b"x")))


def test_links_are_not_followed():
    link = zipfile.ZipInfo("reference.flac")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with pytest.raises(BundleUnusable, match="link"):
        read_bundle(raw_zip((link, b"/etc/passwd")))


def test_two_files_of_one_name_are_refused():
    with pytest.warns(UserWarning, match="Duplicate"):
        data = raw_zip(("a.flac", b"1"), ("a.flac", b"2"))
    with pytest.raises(BundleUnusable, match="two files"):
        read_bundle(data)


@pytest.mark.slow
def test_what_unpacks_to_much_more_is_refused_before_it_is_unpacked():
    with pytest.raises(BundleUnusable, match="claims to unpack"):
        read_bundle(raw_zip(("zeros.flac", bytes(5_000_000)), compression=zipfile.ZIP_DEFLATED))
    text = random.Random(1).randbytes(15_000) * 80  # the window of deflate holds it: some 80 to 1
    with pytest.raises(BundleUnusable, match="unpacks to"):
        read_bundle(raw_zip(*[(f"{n}.flac", text) for n in range(60)], compression=zipfile.ZIP_DEFLATED))


def test_too_many_files_are_refused_before_their_list_is_read():
    with pytest.raises(BundleUnusable, match=str(MOST_MEMBERS)):
        read_bundle(raw_zip(*[(f"{n}.flac", b"") for n in range(MOST_MEMBERS + 1)]))
    with pytest.raises(BundleUnusable, match="more files in this than"):
        read_bundle(raw_zip(*[(f"{n}.flac", b"") for n in range(5_000)]))


@pytest.mark.parametrize(
    "data",
    [b"", b"nonsense", GOOD[:-30], GOOD + b"trailing", GOOD[: len(GOOD) // 2], raw_zip(("a.txt", b"x")), bytes(25_000_001)],
    ids=["empty", "nonsense", "cut", "longer", "half", "another zip", "too large"],
)
def test_what_is_no_bundle_is_told_so(data):
    with pytest.raises(BundleUnusable):
        read_bundle(data)


def test_a_zip64_is_refused():
    locator = b"PK\x06\x07" + bytes(16)
    with pytest.raises(BundleUnusable, match="zip64"):
        read_bundle(GOOD[:-22] + locator + GOOD[-22:])


def test_a_changed_member_a_missing_one_and_an_unlisted_one_are_noticed():
    [prompt] = [name for name in MEMBERS if name.endswith(".safetensors")]
    for data in (
        altered(seal=False, reference__flac=write_bundle(speaker_of(clip_of("floats")), [])[:5000]),
        altered(seal=False, drop=(prompt,)),
        altered(seal=False, more__flac=b"fLaC"),
    ):
        with pytest.raises(BundleUnusable, match="SHA-256"):
            read_bundle(data)
    with pytest.raises(BundleUnusable, match="neither recording nor prompt"):
        read_bundle(altered(more__txt=b"hello, I am a text"))


def test_a_prompt_of_another_recording_or_under_anothers_name_is_refused():
    other, (key, prompt) = clip_of("floats"), prompt_of(CLIP)
    foreign_key, foreign = prompt_of(other)
    with pytest.raises(BundleUnusable, match="another recording"):
        read_bundle(altered(**{f"fake-{foreign_key.digest}__safetensors": foreign.to_bytes()}))
    with pytest.raises(BundleUnusable, match="not the prompt that its name says"):
        read_bundle(altered(**{f"fake-{foreign_key.digest}__safetensors": prompt.to_bytes()}))
    damaged = bytearray(prompt.to_bytes())
    damaged[-1] ^= 1
    with pytest.raises(BundleUnusable, match="no speaker prompt"):
        read_bundle(altered(**{f"fake-{key.digest}__safetensors": bytes(damaged)}))


@pytest.mark.parametrize(
    "manifest",
    [
        {"consent": {"statement": " "}},
        {"consent": {"statement": 5}},
        {"consent": None},
        {"recording": {"file": "nowhere.flac", "digest": "0"}},
        {"recording": {"file": "reference.flac", "digest": "0" * 64}},
        {"name": 5},
        {"tags": 5},
        {"created_at": "long ago"},
        {"transcript": ["words"]},
        {"format": "speaker-bundle/2"},
    ],
)
def test_a_manifest_that_lacks_what_a_speaker_needs_is_refused(manifest):
    with pytest.raises(BundleUnusable):
        read_bundle(altered(manifest=manifest))


def test_a_name_that_nobody_may_have_is_refused():
    with pytest.raises(NameInvalid):
        read_bundle(altered(manifest={"name": "../up"}))


def test_bytes_changed_anywhere_never_do_more_than_be_refused():
    """Every outcome but the same recording or a refusal would be a way in."""
    chance = random.Random(3)
    for _ in range(300):
        data = bytearray(GOOD)
        for _ in range(chance.randint(1, 4)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        try:
            assert read_bundle(bytes(data)).recording.clip.digest == CLIP.digest
        except (BundleUnusable, NameInvalid):
            continue
