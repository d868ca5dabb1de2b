from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from staithe.workflow import Workflow, WorkflowError, load

Write = Callable[..., Path]

FLOW = """
parameters: {ranks: 2, title: melting point, steps: 10, gpu: false, more: ''}
programs: {sim: {command: 'echo "${title}" -n${steps} $${steps} ${gpu} ${more}', ranks: "${ranks}"}}
"""


def command(workflow: Workflow) -> tuple[str, ...] | None:
    return workflow.program("sim").command


def test_defaults_fill_the_placeholders(write_workflow: Write) -> None:
    workflow = load(write_workflow(FLOW))
    assert command(workflow) == ("echo", "melting point", "-n10", "${steps}", "false")
    assert workflow.program("sim").ranks == 2


def test_settings_win_over_defaults(write_workflow: Write) -> None:
    workflow = load(write_workflow(FLOW), ["steps=20", "ranks=1", "title=a=b; c"])
    assert command(workflow) == ("echo", "a=b; c", "-n20", "${steps}", "false")
    assert workflow.program("sim").ranks == 1


def test_a_value_is_split_as_in_a_shell_unless_it_is_quoted(write_workflow: Write) -> None:
    workflow = load(write_workflow(FLOW), ["more=--fast --title 'x y'", "title=a b"])
    assert command(workflow) == ("echo", "a b", "-n10", "${steps}", "false", "--fast", "--title", "x y")


def test_what_is_quoted_stands_for_itself(write_workflow: Write) -> None:
    flow = """programs: {sim: {command: echo '$HOME' "~ *" \\* a~b, args: ['*', $HOME]}}"""
    assert command(load(write_workflow(flow))) == ("echo", "$HOME", "~ *", "*", "a~b", "*", "$HOME")
    flow = "parameters: {files: 1}\nprograms: {sim: {command: 'echo ${files}'}}"
    assert command(load(write_workflow(flow), ["files=*.nc"])) == ("echo", "*.nc")


def test_words_of_a_list_are_never_split(write_workflow: Write) -> None:
    flow = "parameters: {title: it's 010}\nprograms: {sim: {command: [echo, '${title}', 3]}}"
    assert command(load(write_workflow(flow))) == ("echo", "it's 010", "3")
    assert command(load(write_workflow(flow), ["title=010"])) == ("echo", "010", "3")


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (["steps"], "--set: 'steps' is not NAME=VALUE"),
        (
            ["step=3"],
            "--set: 'step' is no parameter of this workflow; did you mean 'steps'? "
            "(allowed: ranks, title, steps, gpu, more)",
        ),
        (["ranks=many"], "3: programs.sim.ranks: is '${ranks}', but must be a whole number above 0"),
    ],
)
def test_wrong_settings(write_workflow: Write, settings: list[str], expected: str) -> None:
    with pytest.raises(WorkflowError) as caught:
        load(write_workflow(FLOW), settings)
    assert str(caught.value).endswith(expected)


def test_an_undeclared_placeholder(write_workflow: Write) -> None:
    with pytest.raises(WorkflowError) as caught:
        load(write_workflow("parameters: {steps: 1}\nprograms: {sim: {command: 'echo ${stps}'}}"))
    assert str(caught.value).endswith(
        "2: programs.sim.command: '${stps}' is no parameter of this workflow; did you mean 'steps'? (allowed: steps)"
    )


def test_a_default_is_a_scalar(write_workflow: Write) -> None:
    with pytest.raises(WorkflowError, match="is a list, but must be a default: text, a number, true or false"):
        load(write_workflow("parameters: {steps: [1]}\nprograms: {sim: {command: ls}}"))
