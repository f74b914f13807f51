"""How templates are compiled: once for all languages, and into code that does less than Jinja2's.

Templates mean the same as in Jinja2. What differs is how much is called for each value shown.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from functools import cache, lru_cache, partial
from keyword import iskeyword
from pathlib import Path
from types import BuiltinMethodType, CodeType, FunctionType, MethodType
from typing import Any

from jinja2 import BytecodeCache, Environment, Template, nodes, pass_context
from jinja2.bccache import Bucket
from jinja2.compiler import CodeGenerator, Frame
from jinja2.runtime import Context, Macro
from markupsafe import Markup, escape

from kb.core.files import TEMPORARY, user_cache
from kb.site.templates import PACKAGED

# Texts whose escaped form is cached: labels, names and addresses come again on many pages.
_TEXTS = 10_000
# Ends the keys of the program's own templates.
_OWN = "-own"
_DIGITS, _DIGEST = 16, 32
# Versions whose compiled templates stay: a machine may have several of this program.
_VERSIONS = 3
# Types that take nothing from the context unless they say so.
_FUNCTIONS = frozenset((FunctionType, MethodType, BuiltinMethodType, partial, type(cache(len))))
_CONTEXT = getattr(pass_context(lambda context: None), "jinja_pass_arg")  # noqa: B009


class _CodeCache(BytecodeCache):
    """Compile templates once for all languages; messages are looked up when a page is rendered.

    The program's own templates, and copies of them, are compiled once a machine and version: their
    code lies in the user's cache. Deleting it loses nothing.
    """

    def __init__(self) -> None:
        self.compiled: dict[tuple[str, str], CodeType] = {}

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        """A key for a template's file, which tells the program's own from those of a base.

        A base has copies of many of them, for instance in a checkout of an installed program.
        """
        own = PACKAGED / name
        if filename and (Path(filename) == own or _is_copy(Path(filename), own)):
            return f"{super().get_cache_key(name, str(own))}{_OWN}"
        return super().get_cache_key(name, filename)

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load what was compiled from the same source."""
        known = bucket.key, bucket.checksum
        if known not in self.compiled and bucket.key.endswith(_OWN):
            with suppress(OSError):
                data = _read_own(_code_folder() / bucket.key)
                if _with_digest(data[_DIGEST:]) == data:
                    bucket.bytecode_from_string(data[_DIGEST:])
            if bucket.code:
                self.compiled[known] = bucket.code
        bucket.code = self.compiled.get(known)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what was compiled."""
        if not bucket.code:
            return
        self.compiled[bucket.key, bucket.checksum] = bucket.code
        if bucket.key.endswith(_OWN):
            with suppress(OSError):
                _write(_code_folder() / bucket.key, _with_digest(bucket.bytecode_to_string()))


def _is_copy(path: Path, other: Path) -> bool:
    """Whether both files can be read and have the same content."""
    with suppress(OSError):
        return path.read_bytes() == other.read_bytes()
    return False


def _with_digest(code: bytes) -> bytes:
    """Code behind its digest: a file that a power cut has left damaged is never run."""
    return hashlib.sha256(code).digest() + code


def _read_own(path: Path) -> bytes:
    """Read a file; nothing of one that somebody else may have written, since its code is run."""
    with open(path, "rb") as file:
        info = os.fstat(file.fileno())
        others = hasattr(os, "getuid") and (info.st_uid != os.getuid() or info.st_mode & 0o002)
        return b"" if others else file.read()


def _write(path: Path, data: bytes) -> None:
    """Write a file as a whole; a new folder is that of a new version, and old ones are removed."""
    if not path.parent.is_dir():
        path.parent.mkdir(parents=True)
        versions = path.parent.parent.iterdir()
        for folder in sorted(versions, key=os.path.getmtime, reverse=True)[_VERSIONS:]:
            shutil.rmtree(folder, ignore_errors=True)
    temporary = path.with_name(f"{TEMPORARY}{os.getpid()}")
    temporary.write_bytes(data)
    temporary.replace(path)


def _code_folder() -> Path:
    return user_cache() / "templates" / _version()


@cache
def _version() -> str:
    """A hash of all that the code of templates depends on besides them."""
    sources = (path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
    return hashlib.sha256(b"".join(sources)).hexdigest()[:_DIGITS]


CODE_CACHE = _CodeCache()


class _Context(Context):
    """Call functions and macros at once; Jinja2 looks four times at what each takes first."""

    def call(
        self,
        called: Any,
        /,
        *args: Any,
        _block_vars: Any = None,
        _loop_vars: Any = None,
        **named: Any,
    ) -> Any:
        """Call what a template calls, with the variables set around the call."""
        kind = type(called)
        if kind is Macro:
            return called(self.eval_ctx, *args, **named)
        if kind in _FUNCTIONS:
            wanted = getattr(called, "jinja_pass_arg", None)
            if wanted is None:
                return called(*args, **named)
            if wanted is _CONTEXT and not _block_vars and not _loop_vars:
                return called(self, *args, **named)
        return super().call(called, *args, _block_vars=_block_vars, _loop_vars=_loop_vars, **named)


class _CodeGenerator(CodeGenerator):
    """Writes the code of templates without the calls that are not needed."""

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        if frame.eval_ctx.volatile or not frame.eval_ctx.autoescape:
            super()._output_child_pre(node, frame, finalize)
            return
        self.write("environment.escaped(")
        if finalize.src is not None:
            self.write(finalize.src)

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:
        """Call methods, macros of other templates and plain globals without the context."""
        assert isinstance(self.environment, TemplateEnvironment)
        called, named = node.node, [keyword.key for keyword in node.kwargs]
        plain = isinstance(called, nodes.Getattr) or (
            isinstance(called, nodes.Name) and called.name in self.environment.globals_called
        )
        if (
            not plain
            or forward_caller
            or node.dyn_args
            or node.dyn_kwargs
            or any(map(iskeyword, named))
        ):
            super().visit_Call(node, frame, forward_caller=forward_caller)
            return
        self.write("(")
        self.visit(called, frame)
        self.write(")(")
        for argument in (*node.args, *node.kwargs):
            self.visit(argument, frame)
            self.write(", ")
        self.write(")")


@lru_cache(_TEXTS)
def _escaped_text(text: str) -> str:
    return str(escape(text))


class _Template(Template):
    def _get_default_module(self, ctx: Context | None = None) -> Any:
        """Import a template; without globals of the importer's own, which are looked for first."""
        return super()._get_default_module(ctx if ctx and ctx.globals_keys else None)


class TemplateEnvironment(Environment):
    """Jinja2's environment with code and calls of our own."""

    code_generator_class = _CodeGenerator
    context_class = _Context
    template_class = _Template

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings, bytecode_cache=CODE_CACHE)
        self._templates: dict[str, Template] = {}
        # Functions that templates call by their names and that take nothing from the context.
        self.globals_called: frozenset[str] = frozenset()

    @staticmethod
    def escaped(value: Any) -> str:
        """A value as a template shows it; a plain text, since it only becomes part of a page."""
        kind = type(value)
        if kind is str:
            return _escaped_text(value)
        return value if kind is Markup else escape(value)

    def get_template(self, name: Any, parent: Any = None, globals: Any = None) -> Template:
        """Load a template once; Jinja2 asks for the base of each page again."""
        if globals is not None:
            return super().get_template(name, parent, globals)
        template = self._templates.get(name)
        if template is None:
            template = self._templates[name] = super().get_template(name, parent)
        return template

    def define(self, functions: Mapping[str, Any]) -> None:
        """Add names that templates know; they may be called directly where they are functions."""
        self.globals |= functions
        self.globals_called = frozenset(
            name
            for name, value in self.globals.items()
            if callable(value) and not hasattr(value, "jinja_pass_arg")
        )
