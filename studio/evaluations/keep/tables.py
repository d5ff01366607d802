"""The tables of evaluations, and the database that has them.

Of a cell there is a row once it was said or refused; `measures` is NULL until it was measured. A recording whose voice was deleted keeps
its row, without a file.
"""

from pathlib import Path

from studio.errors import EvaluationsNewer, EvaluationsUnreadable
from studio.storage.database import Database, DatabaseForm
from studio.storage.tables import add_columns, add_tables

__all__ = ["VERSION", "evaluations_database"]

VERSION = 1  # of the tables
APPLICATION = 0x45766131  # "Eva1"
TABLES = """
CREATE TABLE evaluations (
    id TEXT PRIMARY KEY, workspace TEXT NOT NULL, created REAL NOT NULL, changed REAL NOT NULL, digest TEXT NOT NULL,
    plan TEXT NOT NULL, undrawn TEXT NOT NULL DEFAULT '[]', n_cells INTEGER NOT NULL,
    machine TEXT NOT NULL DEFAULT '{}', recognizer TEXT NOT NULL DEFAULT '', stamp INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE UNIQUE INDEX evaluations_of_a_plan ON evaluations (workspace, digest);
CREATE TABLE cells (
    evaluation TEXT NOT NULL REFERENCES evaluations ON DELETE CASCADE,
    system TEXT NOT NULL, voice TEXT NOT NULL, text TEXT NOT NULL, seed INTEGER NOT NULL,
    sha256 TEXT, n_bytes INTEGER NOT NULL DEFAULT 0, sample_rate INTEGER, seconds REAL,
    ttfp_seconds REAL, rtf REAL, warning TEXT NOT NULL DEFAULT '', refused TEXT, measures TEXT,
    PRIMARY KEY (evaluation, system, voice, text, seed)
) STRICT, WITHOUT ROWID;
CREATE INDEX cells_by_sound ON cells (evaluation, sha256, n_bytes);
CREATE TABLE voice_runs (
    evaluation TEXT NOT NULL REFERENCES evaluations ON DELETE CASCADE, system TEXT NOT NULL, voice TEXT NOT NULL,
    cold_ttfp_seconds REAL, learn_seconds REAL, PRIMARY KEY (evaluation, system, voice)
) STRICT, WITHOUT ROWID;
CREATE TABLE system_runs (
    evaluation TEXT NOT NULL REFERENCES evaluations ON DELETE CASCADE, system TEXT NOT NULL, run TEXT NOT NULL,
    PRIMARY KEY (evaluation, system)
) STRICT, WITHOUT ROWID;
CREATE TABLE floors (
    evaluation TEXT NOT NULL REFERENCES evaluations ON DELETE CASCADE, language TEXT NOT NULL, floor TEXT NOT NULL,
    PRIMARY KEY (evaluation, language)
) STRICT, WITHOUT ROWID;
CREATE TABLE recordings (
    evaluation TEXT NOT NULL REFERENCES evaluations ON DELETE CASCADE, digest TEXT NOT NULL, joints TEXT NOT NULL DEFAULT '[]',
    n_bytes INTEGER NOT NULL, generation TEXT NOT NULL DEFAULT '', is_gone INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (evaluation, digest)
) STRICT, WITHOUT ROWID;
CREATE INDEX recordings_of_a_generation ON recordings (generation);
CREATE TABLE paces (what TEXT PRIMARY KEY, seconds REAL NOT NULL, n REAL NOT NULL) STRICT;
CREATE TABLE leaving (evaluation TEXT PRIMARY KEY) STRICT;
"""


def evaluations_database(path: Path, *, has_shared_memory: bool = True) -> Database:
    """See Database. It raises EvaluationsUnreadable, EvaluationsNewer."""
    form = DatabaseForm("evaluations", APPLICATION, VERSION, TABLES, _bring_up, EvaluationsUnreadable, EvaluationsNewer)
    return Database(path, form, has_shared_memory=has_shared_memory)


def _bring_up(connection, folder: Path) -> None:
    add_columns(connection, TABLES)
    add_tables(connection, TABLES)
