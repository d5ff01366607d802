"""Small EPUBs for tests of reading them, made in memory."""

import io
import zipfile
from collections.abc import Mapping

CONTAINER = '<?xml version="1.0"?><container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>'
METADATA = (
    "<dc:title>The Cave</dc:title><dc:creator opf:role='aut'>A. Writer</dc:creator><dc:language>en-GB</dc:language>"
    "<dc:date>1901-02-03</dc:date>"
)
PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


def page(body: str, title: str = "") -> str:
    """A page of XHTML."""
    return f'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>{title}</title></head><body>{body}</body></html>'


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    """A ZIP of these."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return file.getvalue()


def epub(
    pages: Mapping[str, str],
    *,
    nav: str = "",
    ncx: str = "",
    metadata: str = METADATA,
    linear: Mapping[str, str] | None = None,
    items: str = "",
    files: Mapping[str, str | bytes] | None = None,
) -> bytes:
    """pages: name -> body, in reading order. nav: list items of EPUB 3. ncx: navPoints of EPUB 2. linear: page -> its attribute."""
    listed = "".join(f'<item id="p{n}" href="{name}" media-type="application/xhtml+xml"/>' for n, name in enumerate(pages))
    spine = "".join(f'<itemref idref="p{n}" linear="{(linear or {}).get(name, "yes")}"/>' for n, name in enumerate(pages))
    if nav:
        listed += '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
    if ncx:
        listed += '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
    package = f"<package><metadata>{metadata}</metadata><manifest>{listed}{items}</manifest><spine toc='ncx'>{spine}</spine></package>"
    told: dict[str, str | bytes] = {"mimetype": "application/epub+zip", "META-INF/container.xml": CONTAINER, "OPS/book.opf": package}
    told |= {f"OPS/{name}": page(body) for name, body in pages.items()}
    told |= {"OPS/nav.xhtml": page(f'<nav epub:type="toc"><ol>{nav}</ol></nav>')} if nav else {}
    told |= {"OPS/toc.ncx": f"<ncx><navMap>{ncx}</navMap></ncx>"} if ncx else {}
    return zipped(told | dict(files or {}))
