"""A studio whose engine changes what is said in a recording, by tones."""

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from engines.contract.editing import EditKind
from engines.contract.options import Option
from studio.service import Studio
from studio.settings import Settings
from tests.browser.studios.served_page import served_page
from tests.stand_ins.fake_engine import EDITOR, EDITS, FakeEngine

FACTOR = Option("factor", "float", 1.25, "Times as fast; not 1.", minimum=0.55, maximum=1.95)
INFO = replace(EDITOR, edits=(*EDITS, EditKind("pace", "stretch", "Says words faster or slower.", options=(FACTOR,))))


@contextlib.contextmanager
def edited_studio(folder: Path) -> Iterator[tuple[str, FakeEngine]]:
    """(its address, the engine)."""
    engine = FakeEngine(INFO)
    studio = Studio(Settings(speakers_dir=folder, default_engine=INFO.id), infos={INFO.id: INFO}, open_engine=lambda name: engine)
    studio.load()
    try:
        with served_page(studio) as address:
            yield address, engine
    finally:
        studio.close()
