"""What is left out of scripts and style sheets on their way to a site."""

from __future__ import annotations

from kb.search.browser import settings

SHEET = """/* of the page */
body { color: red }

/* several
   lines */
  a { b: c } /* kept */
/**/
/* one */ p { margin: 0 } /* two */
"""


def test_a_style_sheet_keeps_all_but_comments_on_their_own_lines_and_indentation() -> None:
    assert settings.bare_sheet(SHEET).splitlines() == [
        "body { color: red }",
        "/* several",
        "lines */",
        "a { b: c } /* kept */",
        "/* one */ p { margin: 0 } /* two */",
    ]


def test_a_script_keeps_all_but_comments_on_their_own_lines_and_indentation() -> None:
    script = '// one\n  f("//x"); // two\n\n/* three */\n'
    assert settings.bare(script) == 'f("//x"); // two\n/* three */\n'
