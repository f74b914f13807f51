"""No link of a text leads anywhere but to http, https, mailto and pages of the site."""

from __future__ import annotations

import re
from itertools import product
from urllib.parse import urljoin, urlsplit

import html5lib
import pytest

from kb.site.markdown import LinkTargets, render

LINKS = LinkTargets(lambda label: None, lambda term: ("", ""))
_SLASHES = ["/", "\\", "\\\\", "&#47;", "&#92;", "&sol;", "&bsol;", "%2F", "%5C"]
_SKIPPED = ["", "\t", " ", "\xa0", *"&Tab; &NewLine; &#1; %09 %20".split()]
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
def test_no_link_leads_out_and_good_ones_stay(form: str) -> None:
    parts = [*product(_SKIPPED, _SLASHES, _SKIPPED, _SLASHES)][::31]
    addresses = [f"{''.join(part)}host/" for part in parts]
    kept = 0
    for address in (*addresses, "//host/", *_OTHERS):
        links = hrefs(render(form.format(address), LINKS))
        kept += len(links)
        assert not [href for href in links if leads_out(href)], (form, address, links)
    # Those that a browser takes for a path of the site may stay.
    assert kept < len(addresses) / 2
    for address in ("https://a.example/x", "HTTP://a.example", "mailto:a@a.example"):
        assert len(hrefs(render(form.format(address), LINKS))) == 1
    for address in ("../x/", "#pl-2", "x/?a=//b"):
        assert len(hrefs(render(f"[x]({address})", LINKS))) == 1
