"""The fixtures of the browser tests."""

from tests.browser.conftest import (  # noqa: F401
    base_url,
    browser_context_args,
    browser_type_launch_args,
    open_page,
    page,
    reader,
    records,
    serve,
    sound,
)
