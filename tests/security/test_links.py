"""No link of a text leads anywhere but to http, https, mailto and pages of the site."""

from __future__ import annotations

import re
from itertools import product
from urllib.parse import urljoin, urlsplit

import html5lib
import pytest

from kb.site.markdown import Links, render

LINKS = Links(lambda label: None, lambda term: ("", ""))
_SLASHES = ["/", "\\", "\\\\", "&#47;", "&#92;", "&sol;", "&bsol;", "%2F", "%5C", "%2f"]
_SKIPPED = ["", "\t", " ", "\xa0", *"&Tab; &NewLine; &#9; &#10; &#13; &#1; %09 %20".split()]
_FORMS = ["[x]({})", "[x](<{}>)", "[x][a]\n\n[a]: {}", "[x][a]\n\n[a]: <{}>", "[x]({} 'title')"]
_FORMS += ["![x]({})", "<{}>", "[{0}]({0})"]
_OTHERS = ["file:///etc/passwd", "FILE://host/x", "ftp://h/", "smb://h/", "javascript:x", "data:,x"]
_OTHERS += ["vbscript:x", "about:blank", "blob:x", "ms-word:x", "fi\tle://h/", "C:/x", "//[::1]/"]


def leads_out(href: str) -> bool:
    """Whether a browser that has the page from a disk or a server would leave the site."""
    for text in (href, re.sub("%([0-9a-fA-F]{2})", lambda m: chr(int(m[1], 16)), href)):
        seen = re.sub("[\t\n\r]", "", text.strip("".join(map(chr, range(33))) + "\xa0"))
        address = seen.replace("\\", "/")
        if urlsplit(address).scheme in ("http", "https", "mailto"):
            continue
        for page in ("file:///srv/site/demo/index.html", "https://example.org/site/demo/"):
            here, there = urlsplit(page), urlsplit(urljoin(page, address))
            if (there.scheme, there.netloc) != (here.scheme, here.netloc):
                return True
            if address.startswith("//"):
                return True
    return False


def hrefs(html: str) -> list[str]:
    tree = html5lib.parseFragment(html, namespaceHTMLElements=False)
    return [value for node in tree.iter() for name, value in node.attrib.items() if name == "href"]


@pytest.mark.parametrize("form", _FORMS)
def test_no_link_leads_out(form: str) -> None:
    kept, step = 0, 71
    addresses = [
        f"{before}{first}{between}{second}host/"
        for before, first, between, second in product(_SKIPPED, _SLASHES, _SKIPPED, _SLASHES)
    ]
    for address in (*addresses[::step], "//host/", *_OTHERS):
        links = hrefs(render(form.format(address), LINKS))
        kept += len(links)
        assert not [href for href in links if leads_out(href)], (form, address, links)
    # Those that a browser takes for a path of the site may stay.
    assert kept < len(addresses[::step]) / 2


@pytest.mark.parametrize(
    "address",
    ["https://a.example/x", "HTTP://a.example", "mailto:a@a.example", "../x/", "#pl-2", "x/?a=//b"],
)
def test_good_links_stay(address: str) -> None:
    assert len(hrefs(render(f"[x]({address})", LINKS))) == 1
