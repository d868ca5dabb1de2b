"""The Fortran reference, for Sphinx: what users call, rather than the procedures behind it. FORD reads the sources.

```{fortran} NAME ...     types, with what may be called on them, and procedures of the module
```{fortran-head}         the comment at the head of the module
```{fortran-constants}    the names of its constants
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from docutils import nodes
from ford.fortran_project import Project
from ford.settings import ProjectSettings
from sphinx.addnodes import desc_name, desc_signature
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

# The head says once what these are in every call.
SAID_ONCE = {"stat", "errmsg"}


@cache
def module(sources: Path, name: str) -> Any:
    """A module as FORD understands it, with what it gathers from others."""
    with redirect_stdout(io.StringIO()):  # it draws bars of progress
        project = Project(ProjectSettings(src_dir=[sources], predocmark=">", display=["public", "private"]))
        project.correlate()
    return next(found for found in project.modules if found.name == name)


class FromSources(SphinxDirective):
    """A directive that stands for Markdown, which it makes of the sources."""

    final_argument_whitespace = True
    option_spec = {"module": str}  # noqa: RUF012, as docutils has it

    def run(self) -> list[nodes.Node]:
        """Puts the Markdown in the directive's place."""
        for source in self.config.fortran_sources.glob("*.f90"):
            self.env.note_dependency(source)
        self.module = module(self.config.fortran_sources, self.options.get("module", "staithe"))
        return self.parse_text_to_nodes("\n".join(self.markdown()))

    def markdown(self) -> Iterator[str]:
        """Its lines."""
        raise NotImplementedError


class Head(FromSources):
    """The comment at the head."""

    def markdown(self) -> Iterator[str]:
        """As it is."""
        return _comment(self.module)


class Constants(FromSources):
    """The names of the constants."""

    def markdown(self) -> Iterator[str]:
        """In the order of the header that they come from."""
        yield ", ".join(f"`{name.upper()}`" for name in self.module.pub_vars)


class Reference(FromSources):
    """Types and procedures."""

    required_arguments = 1

    def markdown(self) -> Iterator[str]:
        """One description each; those of type-bound procedures are within the type's."""
        for name in self.arguments[0].split():
            if name in self.module.pub_types:
                yield from self._type(name, self.module.pub_types[name])
            else:
                found = self.module.pub_procs[name]
                yield from self._procedure(name, "", [_called(p) for p in getattr(found, "modprocs", [found])], [found])

    def _type(self, name: str, found: Any) -> Iterator[str]:
        yield f"`````{{fortran-object}} {name} type({name})"
        yield from _comment(found)
        for component in found.variables if not found.boundprocs else []:
            yield from self._declared([component])
        yield ""
        public = [b for b in found.boundprocs if b.permission == "public" and b.name != "assignment(=)"]
        public.sort(key=lambda b: b.name == "exists")  # what all types have comes last
        for binding, same in groupby(public, key=lambda b: b.name):
            bindings = list(same)
            procedures = [_called(target) for b in bindings for target in b.bindings]
            yield from self._procedure(f"{name}%{binding}", _passed(public), procedures, bindings)
        yield "`````\n"

    def _procedure(self, name: str, passed: str, procedures: list[Any], said: list[Any]) -> Iterator[str]:
        """By the way in which it is called; the specific procedures of a generic one are put together."""
        first = procedures[0]
        arguments = first.args[1:] if passed else first.args
        optional = ", ".join(a.name for a in arguments if a.optional)
        required = ", ".join(a.name for a in arguments if not a.optional)
        listed = f"{required}[{', ' * bool(required)}{optional}]" if optional else required
        call = f"{passed}%{name.partition('%')[2]}({listed})" if passed else f"{name}({listed})"
        yield f"````{{fortran-object}} {name} {'' if first.proctype == 'Function' else 'call '}{call}"
        for item in dict.fromkeys([*said, first]):
            yield from _comment(item)
        for argument in arguments:
            if argument.name not in SAID_ONCE:
                place = first.args.index(argument)
                yield from self._declared([procedure.args[place] for procedure in procedures])
        if first.proctype == "Function":
            yield f"- Result: `{self._declaration(first.retvar)}`"
        yield "````\n"

    def _declared(self, alike: list[Any]) -> Iterator[str]:
        """A component, or an argument, of whatever types the specific procedures take it."""
        types = list(dict.fromkeys(self._type_of(variable) for variable in alike))
        ranks = sorted({variable.dimension.count(":") for variable in alike})
        if len(types) == 1:
            yield f"- **{alike[0].name}**: `{self._declaration(alike[0])}`"
        else:
            dimensions = f"; {ranks[0]} to {ranks[-1]} dimensions" if len(ranks) > 1 else ""
            rest = ", ".join(_attributes(alike[0]))
            yield f"- **{alike[0].name}**: {', '.join(f'`{t}`' for t in types)}{dimensions}; `{rest}`"
        yield from (f"  {line.strip()}" for line in alike[0].doc_list)

    def _declaration(self, variable: Any) -> str:
        dimension = [f"dimension{variable.dimension}"] if variable.dimension else []
        return ", ".join([self._type_of(variable), *dimension, *_attributes(variable)])

    def _type_of(self, variable: Any) -> str:
        type_ = re.sub(r"<[^>]*>|kind=|len=", "", str(variable.full_type))  # FORD makes links
        for name, found in self.module.pub_types.items():
            type_ = type_.replace(f"({found.name})", f"({name})")
        return type_


def _attributes(variable: Any) -> list[str]:
    words = [word for word in map(str, variable.attribs) if word != "target"]
    words += [f"intent({variable.intent})"] if variable.intent else []
    return [*words, "optional"] if variable.optional else words


def _passed(bindings: list[Any]) -> str:
    """What the type itself calls an object of it."""
    own = [b for b in bindings if b.name != "exists"]
    return _called(own[-1]).args[0].name if own else ""


def _comment(item: Any) -> Iterator[str]:
    yield from (line.removeprefix(" ") for line in item.doc_list)
    yield ""


def _called(binding: Any) -> Any:
    """The procedure in the end."""
    while hasattr(binding, "bindings"):
        binding = binding.bindings[0]
    return getattr(binding, "procedure", binding)


def _parse_object(env: BuildEnvironment, text: str, signature: desc_signature) -> str:
    name, _, shown = text.partition(" ")
    signature += desc_name(shown, shown)
    return name


def setup(app: Sphinx) -> dict[str, bool]:
    """For Sphinx."""
    app.add_config_value("fortran_sources", None, "env", [type(Path())])
    app.add_object_type("fortran-object", "fortran", "%s (Fortran)", _parse_object, objname="Fortran")
    app.add_directive("fortran", Reference)
    app.add_directive("fortran-head", Head)
    app.add_directive("fortran-constants", Constants)
    return {"parallel_read_safe": True}
