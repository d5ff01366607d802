"""Gradio's files that a page loads are known before a browser finds them; where Gradio is built otherwise, none are."""

import re
import shutil

from studio.ui.gradio.gradio_chunks import FOLDER, chunks_of, preload_lines

TYPES = {"html", "row", "column", "tabs", "tabitem", "textbox", "form", "timer"}


def test_the_files_of_a_page_are_there_and_bring_the_components_that_it_has():
    names = chunks_of(TYPES)
    assert all((FOLDER / name).is_file() for name in names) and len(set(names)) == len(names)
    stems = {name.partition("-")[0] for name in names}
    assert {"core", "Index", "Blocks", "HTML"} <= stems
    assert not {"AltairPlot", "ApiDocs", "Canvas3D"} & stems  # of what this page has not
    assert sum((FOLDER / name).stat().st_size for name in names) < 1_000_000


def test_what_a_file_imports_is_among_them():
    names = chunks_of(TYPES)
    imported = {
        found for name in names if name.endswith(".js") for found in re.findall(r'from"\./([\w-]+\.js)"', (FOLDER / name).read_text())
    }
    document = (FOLDER.parent / "index.html").read_text()
    assert {name for name in imported if name not in document} <= {*names}


def test_nothing_is_named_where_gradio_is_built_otherwise(tmp_path):
    folder = tmp_path / "assets"
    folder.mkdir()
    assert chunks_of(TYPES, folder) == ()
    shutil.copy(FOLDER.parent / "index.html", tmp_path)
    assert chunks_of(TYPES, folder) == ()  # a document that names what is not there


def test_scripts_come_as_modules_and_styles_as_styles():
    script, style = preload_lines(("a-1.js", "b-2.css")).split("\n")
    assert script == '<link rel="modulepreload" crossorigin href="./assets/a-1.js">'
    assert style == '<link rel="preload" as="style" crossorigin href="./assets/b-2.css">'
