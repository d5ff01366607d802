"""Parts of the command `script`: its line of progress, and how it finds again what it began."""

import io

from studio.commands.begun_scripts import BegunScripts
from studio.commands.progress_line import ProgressLine


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def say(key: str, values) -> str:
    left = f", {values['n']} min" if "n" in values else ""
    return f"{values['done']}/{values['total']}{left}"


def shown(out: io.StringIO) -> str:
    line = ProgressLine(out, say)
    line.show(0, 0, None)
    for done in range(20):
        line.show(done, 20, 60.0 * (20 - done) if done else None)
    line.end(20, 20)
    return out.getvalue()


def test_a_terminal_has_one_line_that_is_overwritten():
    told = shown(Terminal())
    assert told.count("\n") == 1 and told.endswith("\n") and "\r1/20, 19 min" in told
    assert told.rstrip("\n").rsplit("\r", 1)[1].rstrip() == "20/20"


def test_a_log_has_a_line_for_each_tenth():
    assert shown(io.StringIO()).splitlines() == ["0/20", *(f"{n}/20, {20 - n} min" for n in range(2, 20, 2)), "20/20"]


def test_the_last_script_of_a_file_is_found_again_and_a_damaged_list_is_none(tmp_path):
    begun = BegunScripts(tmp_path / "scripts")
    assert begun.find("a") is None
    for digest, script in (("a", "one"), ("b", "two"), ("a", "three")):
        begun.note(digest, script)
    assert (BegunScripts(tmp_path / "scripts").find("a"), begun.find("b")) == ("three", "two")
    (tmp_path / "scripts" / "begun.json").write_text("{")
    assert begun.find("a") is None
