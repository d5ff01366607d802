"""Claims about tables of results from anywhere: columns are found, votes are judged as a test's own, and what is lost is told."""

import json
import random

import pytest

from studio.api.app import build_api
from studio.listening.foreign.judged_files import JUDGED_FILES, asked_columns, judged_data, table_of
from studio.listening.foreign.judged_table import Asked, JudgedTable, reading_of
from studio.listening.foreign.table_columns import recognized_columns
from studio.listening.foreign.table_file import MOST_COLUMNS, read_table
from studio.listening.report.unreadable import VotesUnreadable
from studio.listening.report.votes_csv import votes_csv
from studio.listening.vote.vote import Vote
from studio.ui.listening_tests.judged_values import judge_table, judged_file
from studio.words.sentences import LANGUAGES, sentences_in
from tests.api.door import Door, error_of
from tests.listening.report.sample_tests import say

LISTENERS, SYSTEMS, TEXTS = [f"r{n}" for n in range(8)], ("alpha", "beta"), [f"u{n}" for n in range(5)]
ASKED = [(who, system, text) for who in LISTENERS for system in SYSTEMS for text in TEXTS]
SCORE = {one: random.Random(str(one)).randint(1, 4) + (one[1] == "beta") for one in ASKED}
VOTES = {(who, system, text, float(SCORE[who, system, text])) for who, system, text in ASKED}


def lines(header: str, rows, separator: str = ",") -> bytes:
    return "\n".join([header, *(separator.join(map(str, row)) for row in rows)]).encode()


def judged(data: bytes, **asked) -> JudgedTable:
    return judged_data(data, Asked(**asked))


def told(found: JudgedTable) -> set:
    return {(vote.listener, vote.system, vote.text, vote.score) for vote in found.votes}


LONG = [(who, system, text, SCORE[who, system, text]) for who, system, text in ASKED]
BY_ROW = {(who, text): [SCORE[who, system, text] for system in SYSTEMS] for who in LISTENERS for text in TEXTS}
TABLES = {
    "plain": lines("listener,system,text,score", LONG),
    "order, semicolons, German": lines("Bewertung;Hörer;Satz;System", [(s, a, c, b) for a, b, c, s in LONG], ";"),
    "UTF-16, tabs": lines("Rating\tWorkerId\tStimulus\tModel", [(s, a, c, b) for a, b, c, s in LONG], "\t").decode().encode("utf-16"),
    "mark, quotation marks": b"\xef\xbb\xbf" + lines('"Participant","Condition","Utterance","MOS"', LONG),
    "Windows-1252, Spanish": "oyente;sistema;frase;calificación\n".encode("cp1252") + lines("", LONG, ";")[1:],
    "Chinese": lines("听众,系统,句子,评分", LONG),
    "labels of grades": lines("rater,method,sentence,rating", [(a, b, c, f'"{s} - it, well"') for a, b, c, s in LONG]),
    "JSON": json.dumps([dict(zip(("subject", "model", "clip", "value"), row, strict=True)) for row in LONG]).encode(),
    "JSON in lines": "\n".join(json.dumps(dict(zip(("subject", "model", "clip", "value"), row, strict=True))) for row in LONG).encode(),
    "a column for each system": lines("listener,text,alpha,beta", [(*key, *scores) for key, scores in BY_ROW.items()]),
    "a column for each stimulus": lines(
        ",".join(("Timestamp", "Email", *(f"{system}_{text}" for system in SYSTEMS for text in TEXTS))),
        [("1/2/24 10:00", who, *(SCORE[who, system, text] for system in SYSTEMS for text in TEXTS)) for who in LISTENERS],
    ),
    "a column for each listener": lines(
        ",".join(("file", "system", *LISTENERS)),
        [(text, system, *(SCORE[who, system, text] for who in LISTENERS)) for system in SYSTEMS for text in TEXTS],
    ),
    "files": lines("wavname,listener_id,mos", [(f"out/{b}/{c}.wav", a, s) for a, b, c, s in LONG]),
    "webMUSHRA's": lines(
        "session_test_id,email,trial_id,stimuli_rating,stimuli,rating_time", [("t", a, c, s, b, 9000) for a, b, c, s in LONG]
    ),
}


@pytest.mark.parametrize("kind", TABLES)
def test_a_table_of_any_form_gives_the_same_votes(kind):
    found = judged(TABLES[kind])
    assert found.findings.method == "mos" and told(found) == VOTES
    assert found.findings.n_listeners == len(LISTENERS)


@pytest.mark.parametrize(
    ("header", "rows", "method", "score"),
    [
        ("rater,system,other,item,score", [("r", "a", "b", "u", -3), ("r", "a", "b", "v", 2)], "cmos", -3.0),
        ("rater,system_a,system_b,utt,preference", [("r", "a", "b", "u", "B"), ("r", "a", "b", "v", "tie")], "ab", 0.0),
        ("rater,modelA,modelB,utt,winner", [("r", "old", "new", "u", "new"), ("r", "old", "new", "v", "old")], "ab", 0.0),
        ("rater,modelA,modelB,utt,choice", [("r", "old", "new", "u", 2), ("r", "old", "new", "v", 1)], "ab", 0.0),
        ("rater,condition,clip,rating", [("r", "a", "u", 72.5), ("r", "b", "u", 9)], "mushra-like", 72.5),
        ("rater,condition,clip,rating", [("r", "reference", "u", 100), ("r", "anchor35", "u", 9)], "mushra", 100.0),
        ("rater,system,item,cmos", [("r", "a", "u", -1), ("r", "a", "v", 2)], "cmos", -1.0),
        ("rater,system,item,grade", [("r", "a", "u", "Excellent"), ("r", "a", "v", "poor")], "mos", 5.0),
    ],
)
def test_the_method_is_told_by_the_scores(header, rows, method, score):
    found = judged(lines(header, rows))
    assert (found.findings.method, found.votes[0].score) == (method, score)


def test_scores_of_a_longer_scale_are_points_of_that_scale():
    rows = [(who, system, text, min(7, score + 3)) for who, system, text, score in LONG]
    found = judged(lines("listener,system,text,score", rows))
    assert found.reading.method == "mos" and found.reading.points == 7 and len(found.votes) == len(rows)
    alpha = next(system for system in found.findings.systems if system.system == "alpha")
    assert len(alpha.histogram) == 7 and alpha.histogram[6] > 0 and alpha.high <= 7
    slip = judged(lines("listener,system,text,score", [*LONG, ("r1", "alpha", "u1", 7)]))
    assert slip.reading.points == 5 and len(slip.votes) == len(LONG)  # one answer beyond the scale speaks for no longer one


def test_what_is_no_score_is_counted_and_told():
    rows = [
        ("a", "x", "u", 3),
        ("a", "x", "v", ""),
        ("a", "x", "w", "n/a"),
        ("a", "y", "u", 99),
        ("", "y", "v", 4),
        *[("a", "y", "u", 4)] * 9,
    ]
    found = judged(lines("listener,system,text,score", rows))
    assert len(found.votes) == 10
    assert {(line.key, line.values["n"]) for line in found.told} == {
        (f"judge_skipped_{reason}", 1) for reason in ("empty", "not_number", "outside", "nobody")
    }
    assert all(say(line.key, line.values) for line in found.told)


def test_what_is_unclear_is_asked_and_what_a_person_says_goes_first():
    data = lines("q,w,e,r", [(a, b, c, s) for a, b, c, s in LONG])
    assert reading_of(table_of(data), Asked()).lacking == ("listener", "system")
    with pytest.raises(VotesUnreadable, match="listener, system"):
        judged(data)
    assert told(judged(data, columns=asked_columns(["listener=q", "system=w", "text=e", "score=r"]))) == VOTES
    with pytest.raises(VotesUnreadable, match="cannot be “speaker”"):
        asked_columns(["speaker=q"])
    of_ten = lines("listener,system,text,score", [(a, b, c, 2 * s) for a, b, c, s in LONG])
    assert reading_of(table_of(of_ten), Asked()).method is None
    with pytest.raises(VotesUnreadable, match="2 to 10"):
        judged(of_ten)
    assert judged(of_ten, method="mushra-like").findings.method == "mushra-like"


def test_a_question_of_several_is_chosen():
    data = lines("subject,method,sentence,naturalness,similarity", [(a, b, c, s, 6 - s) for a, b, c, s in LONG])
    first, other = judged(data), judged(data, scale="similarity")
    assert told(first) == VOTES and told(other) == {(a, b, c, 6 - s) for a, b, c, s in VOTES}
    assert first.told[0].values == {"scale": "naturalness", "others": ["similarity"]}


def test_a_table_that_a_studio_wrote_says_the_same_as_before():
    votes = tuple(
        Vote("mos", who, n, "item", text, system, "", SCORE[who, system, text], seconds=3) for n, (who, system, text) in enumerate(ASKED)
    )
    assert judged(votes_csv(votes).encode()).votes == votes


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"PK\x03\x04 a workbook", "votes_no_text"),
        (b"\x89PNG\r\n\0\0\0\0\0", "votes_no_text"),
        (b"", "votes_none"),
        (b"listener,system,text,score\n", "votes_none"),
        (b'listener,system,score\na,"b,3', "votes_no_table"),
        (b"listener,system,score\na,b,3,4", "votes_uneven"),
        (b"x," * (MOST_COLUMNS + 1) + b"x\n1", "votes_too_wide"),
        (lines("listener,system,score", [("a", n, 3) for n in range(41)]), "votes_many_systems"),
        (b"[" + b"{}," * 300_000 + b"{}]", "votes_too_many"),
        (b"a\n" * (6 << 20), "votes_too_large"),
    ],
)
def test_what_cannot_be_judged_is_refused_with_its_reason(data, sentence):
    with pytest.raises(VotesUnreadable) as raised:
        judged(data)
    assert raised.value.values.get("sentence") == sentence


@pytest.mark.slow
def test_no_table_keeps_the_studio_busy():
    """What is bounded is refused before anything is made of it, in time that is proportional to the file."""
    wide = lines(",".join(f"s_{n}" for n in range(900)), [[3] * 900] * 60)
    for data, told in (
        (b"," * (10 << 20), "no votes"),
        (b'"' * (10 << 20), "not CSV"),
        (b"[" * 100_000, "no votes"),
        (wide, "more than 50,000 votes"),
    ):
        with pytest.raises(VotesUnreadable, match=told):
            judged(data)


def test_rows_are_bounded_before_they_are_kept():
    with pytest.raises(VotesUnreadable, match="more than 3 votes"):
        read_table(TABLES["plain"], most_rows=3)


def test_no_column_of_times_is_taken_for_scores():
    table = read_table(b"Timestamp,age,listener,alpha,beta\n1,30,a,3,4\n2,40,b,4,5")
    assert recognized_columns(table).system == "*"
    assert {vote.system for vote in judged(b"Timestamp,age,listener,alpha,beta\n1,30,a,3,4\n2,40,b,4,5").votes} == {"alpha", "beta"}


def test_names_run_no_formulas_in_what_goes_out():
    found = judged(lines("listener,system,text,score", [("=a", "+b", "@c", 3), ("d", "-e", "f", 4)]))
    for kind in ("votes", "tidy"):
        cells = JUDGED_FILES[kind].make(found, say, "en").decode().replace("\r", "").replace("\n", ",").split(",")
        assert not [cell for cell in cells if cell[:1] in ("=", "+", "@")]


def sent(data: bytes) -> dict:
    import base64

    return {"name": "Our scores.csv", "type": "text/csv", "data": base64.b64encode(data).decode()}


def test_the_page_shows_the_columns_and_the_result_and_hands_out_files():
    unclear = judge_table(None, {"sent": sent(lines("q,w,e,r", LONG))})
    assert unclear["test"] is None and unclear["table"]["lacking"] == ["listener", "system"] and len(unclear["table"]["rows"]) == 5
    columns = dict(zip(("listener", "system", "text", "score"), "qwer", strict=True))
    asked = {"sent": sent(lines("q,w,e,r", LONG)), "columns": columns, "counted": {"r1": False}}
    clear = judge_table(None, asked)
    assert clear["test"]["findings"]["n_listeners"] == 7 and clear["table"]["method"] == "mos"
    file = judged_file(None, asked | {"kind": "tidy"})
    assert file["name"] == "our-scores-tidy.csv"
    assert judge_table(None, {"sent": sent(b"PK\x03\x04")})["problem"]["values"]["sentence"] == "votes_no_text"


def test_a_program_sends_a_table_as_it_is_or_as_a_form(tmp_path):
    door = Door(tmp_path)
    door.app = build_api(door.studio, sentences=lambda language: (language, lambda key, values: f"{language}:{key}"))
    path = "/v1/studio/tests/judge"
    whole = door.post(path, content=lines("q,w,e,r", LONG), params={"column": ["listener=q", "system=w", "text=e", "score=r"]})
    assert whole.json()["findings"]["method"] == "mos", whole.text
    form = door.post(path, files={"file": ("a.csv", TABLES["a column for each stimulus"])}, params={"format": "tidy"})
    assert form.text.startswith("listener,system,text,score\nr0,alpha,u0,")
    assert "<html" in door.post(path, content=TABLES["plain"], params={"format": "report"}).text
    refused = door.post(path, content=lines("q,w,e,r", LONG))
    assert refused.status_code == 400 and "listener" in error_of(refused)["message"]
    door.close()


def test_every_language_says_what_is_told_of_a_table():
    for language in LANGUAGES:
        words = sentences_in(language).words
        for reason in ("empty", "not_number", "outside", "nobody"):
            assert words(f"tests.judge_skipped_{reason}", {"n": 2})
