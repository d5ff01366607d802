"""Claims about lists of finished clips: P.808's and ESPnet's become tests, P.808's answers are votes, and ours go out in its layout."""

import csv
import io

import pytest

from studio.listening.foreign.clip_lists import is_clip_list, read_clip_folder, read_clip_list
from studio.listening.foreign.judged_files import judged_data
from studio.listening.foreign.judged_table import Asked
from studio.listening.foreign.p808 import p808_csv
from studio.listening.report.unreadable import FormatUnfit, PlanFileUnreadable
from studio.listening.vote.vote import Vote

HOST = "https://clips.example/set"


def test_rating_clips_of_p808_become_a_test_and_other_clips_are_named():
    rows = [f"{HOST}/{system}/clip_{n}.wav,{HOST}/gold.wav,5" for system in ("noisy", "clean") for n in range(3)]
    text = "\n".join(["rating_clips,gold_clips,gold_clips_ans", *rows])
    assert is_clip_list(text) and not is_clip_list("pages: []") and not is_clip_list("name: x\nmethod: ab")
    (one,) = read_clip_list(text, "set")
    assert (one.plan.method, [system.label for system in one.plan.systems], len(one.plan.texts)) == ("mos", ["noisy", "clean"], 3)
    assert one.uploads[0].path == "set/noisy/clip_0.wav"
    assert {line.values.get("option") for line in one.left_out if line.key == "import_option"} == {"gold_clips", "gold_clips_ans"}


def test_a_list_of_kaldi_becomes_a_test():
    text = "\n".join(f"{system}_utt{n} /exp/{system}/wav/utt{n}.wav" for n in range(3) for system in ("tacotron", "vits"))
    (one,) = read_clip_list(text, "dev")
    assert [system.label for system in one.plan.systems] == ["tacotron", "vits"] and len(one.uploads) == 6
    assert one.uploads[0].path == "exp/tacotron/wav/utt0.wav"
    with pytest.raises(PlanFileUnreadable, match=r"line 2”.*more than"):
        read_clip_list("a a.wav\nsox b.wav -t wav - |", "dev")
    with pytest.raises(PlanFileUnreadable, match="no path below"):
        read_clip_list("a ../a.wav\n", "dev")


def test_a_folder_of_espnet_has_a_system_for_each_list_and_its_words_as_texts(tmp_path):
    for system in ("tts_vits", "tts_fastspeech2"):
        folder = tmp_path / "exp" / system / "decode/test"
        folder.mkdir(parents=True)
        (folder / "wav.scp").write_text("".join(f"utt{n} exp/{system}/decode/test/wav/utt{n}.wav\n" for n in range(2)), encoding="utf-8")
    (tmp_path / "text").write_text("utt0 Good morning.\nutt1 Who is there?\n", encoding="utf-8")
    (one,) = read_clip_folder(tmp_path)
    assert [system.label for system in one.plan.systems] == ["tts_fastspeech2", "tts_vits"]
    assert one.plan.texts == ("Good morning.", "Who is there?") and len(one.uploads) == 4
    with pytest.raises(PlanFileUnreadable, match=r"0 files wav\.scp"):
        read_clip_folder(tmp_path / "exp" / "tts_vits" / "decode" / "test" / "nothing")


def answers(suffixes: tuple[str, ...] = ("",)) -> bytes:
    """Two workers, two clips each, a gold one and one of a rejected assignment."""
    questions = ("Q1", "Q2", "Q3")
    names = ["HITId", "WorkerId", "AssignmentStatus", "Input.gold_clips", *(f"Answer.{q}_url" for q in questions)]
    names += [f"Answer.{question}{suffix}" for question in questions for suffix in suffixes]
    clips = (f"{HOST}/noisy/1.wav", f"{HOST}/clean/1.wav", f"{HOST}/gold.wav")
    scores = [score + number for score in (2, 4, 5) for number, _ in enumerate(suffixes)]
    rows = [["h", worker, status, clips[2], *clips, *scores] for worker, status in (("W1", "Approved"), ("W2", ""), ("W3", "Rejected"))]
    file = io.StringIO()
    csv.writer(file).writerows([names, *rows])
    return file.getvalue().encode()


def test_answers_of_mechanical_turk_are_votes_without_gold_and_rejected_ones():
    found = judged_data(answers(), Asked())
    assert {(vote.listener, vote.system, vote.text, vote.score) for vote in found.votes} == {
        (worker, system, text, score)
        for worker in ("W1", "W2")
        for system, text, score in (("file", "noisy/1", 2.0), ("file", "clean/1", 4.0))
    }
    scales = judged_data(answers(("_sig", "_bak")), Asked(scale="bak"))
    assert scales.reading.scales == ("sig", "bak") and {vote.score for vote in scales.votes} == {3.0, 5.0}


def test_votes_go_out_as_p808_has_them_and_come_back():
    votes = [Vote("mos", who, 0, "item", text, system, "", 3) for who in "ab" for system in ("old", "new") for text in ("t1", "t2")]
    text = p808_csv([*votes, Vote("mos", "a", 1, "gold", "t1", "gold", "", 1)], "T")
    assert text.splitlines()[0].startswith("HITId,workerid,assignment_id,assignmentstatus,file,short_file_name,vote,")
    found = judged_data(text.encode(), Asked())
    assert [(vote.listener, vote.system, vote.text, vote.score) for vote in found.votes] == [
        (vote.listener, vote.system, vote.text, vote.score) for vote in votes
    ]
    with pytest.raises(FormatUnfit, match="abx"):
        p808_csv([Vote("abx", "a", 0, "item", "t", "x", "y", 1)], "T")
