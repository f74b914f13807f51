"""A logo is a plain picture."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.records.site_config import read_site_files

INERT = [
    '<svg xmlns="http://www.w3.org/2000/svg"><style>a{fill:red}</style><path d="M0 0"/></svg>',
    '<?xml version="1.0"?>\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd">\n'
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'
    '<defs><path id="a" d="M0 0"/></defs><use xlink:href="#a"/>'
    '<image href="data:image/png;base64,AAAA"/></svg>',
]
ACTIVE = [
    "<script>alert(1)</script>",
    "<path onload='alert(1)'/>",
    "<foreignObject/>",
    "<x:script xmlns:x='http://www.w3.org/1999/xhtml'>alert(1)</x:script>",
    "<a href='javascript:alert(1)'/>",
    "<a xlink:href=' javascript:alert(1)'/>",
    "<use href='data:image/svg+xml,x'/>",
    "<set attributeName='href' to='javascript:alert(1)'/>",
    "<?xml-stylesheet href='x.xsl' type='text/xsl'?>",
]


def problems_of_logo(folder: Path, svg: bytes) -> list[str]:
    (folder / "rulings").mkdir()
    (folder / "site.yaml").write_text("name:\n  en: X\nlogo: a.svg\n", encoding="utf-8")
    (folder / "a.svg").write_bytes(svg)
    files = read_site_files(folder / "rulings")
    assert bool(files.logo) != bool(files.problems)
    return [f"{problem.line}: {problem.message}" for problem in files.problems]


@pytest.mark.parametrize("svg", INERT)
def test_a_plain_logo_is_taken(svg: str, tmp_path: Path) -> None:
    assert problems_of_logo(tmp_path, svg.encode()) == []


@pytest.mark.parametrize("content", ACTIVE)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_logo_that_runs_something_is_refused(content: str, encoding: str, tmp_path: Path) -> None:
    namespaces = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    svg = f"<svg {namespaces}>{content}</svg>"
    (problem,) = problems_of_logo(tmp_path, svg.encode(encoding))
    assert problem.startswith("3: logo: a.svg has ") and "plain SVG" in problem


@pytest.mark.parametrize("svg", ["", "no picture", "<svg>", '<!DOCTYPE a [<!ENTITY b "c">]><svg/>'])
def test_a_logo_that_is_no_picture_is_refused(svg: str, tmp_path: Path) -> None:
    (problem,) = problems_of_logo(tmp_path, svg.encode())
    assert problem.startswith("3: logo: ")
