"""Runs the documentation: every code block of README.md and docs/guide/, a page in a directory of its own.

The words after a fence say what its block is. Blocks of one page run in their order, like a reader who follows along:

    ```python NAME      a file of that name, which later blocks use; so for yaml, cmake, c, cpp, fortran
    ```python           a program, run as it stands
    ```sh               run by bash, which waits for what was started with `&`
    ```sh on HOST       the same on a host of that name, which sees the same files; what was started with `&` goes on,
                        until the next block without one has ended, or, with `staithe serve`, until the page has
    ```text output      what the last block that ran must have printed; `…` stands for anything
    ```sh checkout      commands for a checkout: not run, but their make targets and scripts must exist
    ```text             no code

`with LIBRARY` behind the words means that the block needs this Python package, which is optional. The page is run
without such blocks, and once more with them where the package is there.
"""

import contextlib
import itertools
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import hosts
import pytest
from markdown_it import MarkdownIt

import staithe

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs" / "guide").glob("*.md"))]
# Written by people, and everything that they refer to; not what tools leave in build/ and .venv/.
ALL_PAGES = sorted(
    page
    for folder in (".", "docs/**", "src/*", "benchmarks", "examples", "fortran", "plugins", "python", "tests/fuzz")
    for page in ROOT.glob(f"{folder}/*.md")
)

# Above any time that a page takes on a loaded machine; compiling C++ is the longest part.
PAGE_SECONDS = 300

# Else a program that fails in the background would go unnoticed. What a page has killed (137) is as it should be.
WAIT_FOR_ALL = 'for job in $(jobs -p); do wait "$job" || [ $? = 137 ]; done'


@dataclass(frozen=True)
class Block:
    language: str
    role: str
    library: str
    text: str
    line: int


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks_of(page: Path) -> Iterator[Block]:
    for token in MarkdownIt().parse(page.read_text()):
        line = token.map[0] + 1 if token.map else 0
        assert token.type != "code_block", f"{name_of(page)}:{line}: indented code is not run; put it into a fence"
        if token.type == "fence":
            words, _, library = token.info.strip().partition(" with ")
            language, _, role = words.partition(" ")
            yield Block(language, role, library, token.content, line)


def run(words: list[str], directory: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("STAITHE_")}
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment["STAITHE_RUN_DIR"] = str(directory / "run")
    # Into files: what bash has started and left behind holds them open, and no end of a pipe would come.
    with tempfile.TemporaryFile("w+") as out_file, tempfile.TemporaryFile("w+") as err_file:
        process = subprocess.Popen(
            words,
            cwd=directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out_file,
            stderr=err_file,
            start_new_session=True,
        )
        try:
            process.wait(timeout=PAGE_SECONDS)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        out_file.seek(0)
        err_file.seek(0)
        out, err = out_file.read(), err_file.read()
    assert process.returncode == 0, f"{shlex.join(words)}\nended with {process.returncode}\n{out}{err}"
    return out


def matches(expected: str, printed: str) -> bool:
    pattern = ".*".join(re.escape(part) for part in without_trailing_spaces(expected).split("…"))
    return re.fullmatch(pattern, without_trailing_spaces(printed), re.DOTALL) is not None


def without_trailing_spaces(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def check_commands_of_checkout(text: str) -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for command in text.splitlines():
        words = shlex.split(command, comments=True)
        if words[:1] == ["make"]:
            assert set(words[1:]) <= set(targets), command
        elif words and words[0].startswith("scripts/"):
            assert (ROOT / words[0]).exists(), command


@pytest.mark.timeout(PAGE_SECONDS)
@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_code_blocks_run(page: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if page.stem == "fortran":
        request.getfixturevalue("fortran_mpi")
    run_blocks(page, [block for block in blocks_of(page) if not block.library], tmp_path)


OPTIONAL = sorted({(name_of(page), block.library) for page in PAGES for block in blocks_of(page) if block.library})


@pytest.mark.timeout(PAGE_SECONDS)
@pytest.mark.parametrize(("page", "library"), OPTIONAL)
def test_code_blocks_run_with(page: str, library: str, tmp_path: Path) -> None:
    pytest.importorskip(library)
    run_blocks(ROOT / page, [block for block in blocks_of(ROOT / page) if block.library in ("", library)], tmp_path)


@contextlib.contextmanager
def hosts_of(blocks: list[Block], directory: Path) -> Iterator[dict[str, hosts.Host]]:
    """The hosts that blocks run on, by name; none where there can be none."""
    names = sorted({block.role.removeprefix("on ") for block in blocks if block.role.startswith("on ")})
    if not names or hosts.skip_reason() is not None:
        yield {}
        return
    with hosts.network(*names, shared=directory) as made:
        yield dict(zip(names, made, strict=True))


def run_on(host: hosts.Host, text: str, directory: Path) -> tuple[hosts.Program, bool]:
    """Whether it is to go on beside what follows, too."""
    path = {"PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}
    script = f"cd {shlex.quote(str(directory))}\n{text}\n{WAIT_FOR_ALL}"
    program = host.popen(["bash", "-euo", "pipefail", "-c", script], env=path)
    return program, any(line.endswith("&") for line in text.splitlines())


def wait_until_it_serves(program: hosts.Program) -> None:
    assert program.stdout is not None
    while line := program.stdout.readline():
        if line.startswith("server '"):
            return
    pytest.fail(f"no server: {program.communicate()[1]}")


def run_blocks(page: Path, blocks: list[Block], tmp_path: Path) -> None:
    with hosts_of(blocks, tmp_path) as by_name:
        run_blocks_on(by_name, page, blocks, tmp_path)


def run_blocks_on(by_name: dict[str, hosts.Host], page: Path, blocks: list[Block], tmp_path: Path) -> None:
    printed: str | None = None
    beside: list[hosts.Program] = []
    for block in blocks:
        where = f"{name_of(page)}:{block.line}"
        match block.language, block.role:
            case "python", "":
                printed = run([sys.executable, "-c", block.text], tmp_path)
            case "python" | "c" | "cpp" | "fortran" | "cmake" | "yaml", name if name:
                (tmp_path / name).write_text(block.text)
            case "sh", "":
                printed = run(["bash", "-euo", "pipefail", "-c", f"{block.text}\n{WAIT_FOR_ALL}"], tmp_path)
            case "sh", role if role.startswith("on "):
                if by_name:
                    program, goes_on = run_on(by_name[role.removeprefix("on ")], block.text, tmp_path)
                    if goes_on and "staithe serve " in block.text:
                        wait_until_it_serves(program)  # it ends with its host
                    elif goes_on:
                        beside.append(program)
                    else:
                        printed = hosts.result_of(program, PAGE_SECONDS)
                        while beside:
                            hosts.result_of(beside.pop(), PAGE_SECONDS)
            case "text", "output" if not by_name and any(one.role.startswith("on ") for one in blocks):
                pass  # of hosts that cannot be made here
            case "sh", "checkout":
                check_commands_of_checkout(block.text)
            case "text", "output":
                assert printed is not None, f"{where}: the output of nothing"
                assert matches(block.text, printed), f"{where}: expected\n{block.text}\nbut it printed\n{printed}"
            case "text", "":
                pass
            case _:
                pytest.fail(f"{where}: no test knows what to do with '{block.language} {block.role}'")


def test_readme_couples_two_programs_in_12_lines() -> None:
    programs = [block.text for block in blocks_of(ROOT / "README.md") if block.role in ("producer.py", "consumer.py")]
    assert len(programs) == 2
    assert sum(len(text.splitlines()) for text in programs) <= 12


@pytest.mark.parametrize("page", ALL_PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    for target in targets_of(page):
        path, _, heading = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        assert linked.exists(), f"{name_of(page)}: {target} is not there"
        if heading:
            assert heading in headings_of(linked), f"{name_of(page)}: {target} is no heading there"


def targets_of(page: Path) -> Iterator[str]:
    """The pages, files and pictures that a page refers to; what is elsewhere on the web is not looked up."""
    for inline in MarkdownIt().enable("table").parse(page.read_text()):
        for token in inline.children or ():
            target = str(token.attrs.get("href") or token.attrs.get("src") or "")
            if target and "://" not in target:
                yield target


def headings_of(page: Path) -> set[str]:
    """The names that headings have as anchors."""
    tokens = MarkdownIt().parse(page.read_text())
    titles = [after.content for token, after in itertools.pairwise(tokens) if token.type == "heading_open"]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_the_reference_has_every_public_name() -> None:
    pages = {page.stem: set(re.findall(r"\w+", page.read_text())) for page in (ROOT / "docs" / "reference").iterdir()}
    headers = {path.stem for path in (ROOT / "include" / "staithe").glob("*.hpp")} - {"export", "version"}
    rulers = re.findall(r"^// -{4} (\w+)", (ROOT / "include" / "staithe" / "staithe.h").read_text(), re.MULTILINE)
    fortran = set(re.findall(r"\bstaithe_\w+", (ROOT / "fortran" / "staithe.f90").read_text().partition("\nmodule")[2]))
    modules = {path.stem for path in (ROOT / "fortran").glob("*.f90")}
    assert set(staithe.__all__) - {"__version__"} <= pages["python"] | set(vars(staithe.errors))
    assert {f"{header}_hpp" for header in headers} <= pages["cpp"]
    assert {f"c_{ruler.lower()}" for ruler in rulers} <= pages["c"]
    assert fortran - modules - {"staithe_constants"} <= pages["fortran"]
