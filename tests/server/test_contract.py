"""The API against its own description, with valid and invalid requests by schemathesis."""

from __future__ import annotations

from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.serving import site

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
]
OPERATIONS = """/ /search /suggest /rulings /rulings/{game}/{ruling_id} /cards /cards/{game}/{slug}
/topics /topics/{game}/{topic} /sources /sources/{game}/{source} /changes""".split()


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_every_answer_is_as_described(mode: GenerationMode, small_base: Path) -> None:
    application = site(small_base / "site")
    described = schemathesis.openapi.from_asgi("/api/v1/openapi.json", application)
    assert set(described) == set(OPERATIONS)
    seen = 0
    # Nothing that is sent to the first can be wrong.
    for path in OPERATIONS[mode is GenerationMode.NEGATIVE :]:
        strategy = described[path]["GET"].as_strategy(generation_mode=mode)

        @settings(max_examples=6, suppress_health_check=list(HealthCheck))
        @given(case=strategy)
        def each(case: schemathesis.Case) -> None:
            nonlocal seen
            case.validate_response(case.call(), checks=CHECKS)
            seen += 1

        each()
    assert seen >= 60
