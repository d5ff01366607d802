"""The tables of scripts, and the database that has them.

A line's place is a number between those of its neighbors; without one it is deleted, and held by a step that can bring it back.
`stamp` of a script moves with each change of anything in it; a line has that of its last change.
"""

from pathlib import Path

from studio.errors import ScriptsNewer, ScriptsUnreadable
from studio.storage.database import Database, DatabaseForm
from studio.storage.tables import add_columns, add_tables

__all__ = ["VERSION", "scripts_database"]

VERSION = 2  # of the tables
APPLICATION = 0x53637231  # "Scr1"
TABLES = """
CREATE TABLE scripts (
    id TEXT PRIMARY KEY, workspace TEXT NOT NULL, created REAL NOT NULL, changed REAL NOT NULL,
    head TEXT NOT NULL, members TEXT NOT NULL DEFAULT '[]', dictionary TEXT NOT NULL DEFAULT '[]',
    n_lines INTEGER NOT NULL DEFAULT 0, n_characters INTEGER NOT NULL DEFAULT 0, n_done INTEGER NOT NULL DEFAULT 0,
    revision INTEGER NOT NULL DEFAULT 1, stamp INTEGER NOT NULL DEFAULT 1, whole_stamp INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE INDEX scripts_of_a_workspace ON scripts (workspace, changed);
CREATE TABLE speakers (script TEXT NOT NULL REFERENCES scripts ON DELETE CASCADE, key TEXT NOT NULL, PRIMARY KEY (script, key)) STRICT;
CREATE INDEX scripts_of_a_speaker ON speakers (key);
CREATE TABLE covers (script TEXT PRIMARY KEY REFERENCES scripts ON DELETE CASCADE, media_type TEXT NOT NULL, image BLOB NOT NULL) STRICT;
CREATE TABLE lines (
    script TEXT NOT NULL REFERENCES scripts ON DELETE CASCADE, id TEXT NOT NULL, place INTEGER,
    written TEXT NOT NULL, who TEXT NOT NULL, n_characters INTEGER NOT NULL, is_heading INTEGER NOT NULL,
    chosen TEXT NOT NULL DEFAULT '', failure TEXT, stamp INTEGER NOT NULL DEFAULT 1, PRIMARY KEY (script, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX lines_in_order ON lines (script, place, is_heading, n_characters, who);
CREATE INDEX lines_by_stamp ON lines (script, stamp);
CREATE TABLE takes (
    number INTEGER PRIMARY KEY AUTOINCREMENT, script TEXT NOT NULL, line TEXT NOT NULL, id TEXT NOT NULL,
    sha256 TEXT NOT NULL, n_bytes INTEGER NOT NULL, seconds REAL NOT NULL, generation TEXT NOT NULL, speaker TEXT NOT NULL,
    take TEXT NOT NULL, FOREIGN KEY (script, line) REFERENCES lines (script, id) ON DELETE CASCADE
) STRICT;
CREATE UNIQUE INDEX takes_of_a_line ON takes (script, line, id);
CREATE INDEX takes_by_sound ON takes (script, sha256, n_bytes);
CREATE INDEX takes_of_a_generation ON takes (generation);
CREATE INDEX takes_of_a_speaker ON takes (speaker, script);
CREATE TABLE queue (
    number INTEGER PRIMARY KEY AUTOINCREMENT, script TEXT NOT NULL, line TEXT NOT NULL, n_takes INTEGER NOT NULL, best INTEGER NOT NULL,
    seed INTEGER, force INTEGER NOT NULL, choose INTEGER NOT NULL, mend TEXT, UNIQUE (script, line),
    FOREIGN KEY (script, line) REFERENCES lines (script, id) ON DELETE CASCADE
) STRICT;
CREATE TABLE steps (
    script TEXT NOT NULL REFERENCES scripts ON DELETE CASCADE, number INTEGER NOT NULL, has_cast INTEGER NOT NULL,
    snapshot BLOB NOT NULL, PRIMARY KEY (script, number)
) STRICT;
CREATE TABLE held (
    script TEXT NOT NULL, line TEXT NOT NULL, step INTEGER NOT NULL, PRIMARY KEY (script, line, step),
    FOREIGN KEY (script, step) REFERENCES steps (script, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX held_by_a_step ON held (script, step);
CREATE TABLE leaving (script TEXT PRIMARY KEY) STRICT;
"""


def scripts_database(path: Path, *, has_shared_memory: bool = True) -> Database:
    """See Database. It raises ScriptsUnreadable, ScriptsNewer."""
    form = DatabaseForm("scripts", APPLICATION, VERSION, TABLES, _bring_up, ScriptsUnreadable, ScriptsNewer)
    return Database(path, form, has_shared_memory=has_shared_memory)


def _bring_up(connection, folder: Path) -> None:
    add_columns(connection, TABLES)
    add_tables(connection, TABLES)
