from __future__ import annotations

from staithe.diagnosis.deadlocks import deadlock, find_circles
from staithe.diagnosis.finding import Who
from staithe.diagnosis.waits import Wait

A, B, C = (Who(name, number, "node7", 0) for number, name in enumerate("abc", 1))


def wait(who: Who, stream: str, *on: Who, seconds: float = 5.0) -> Wait:
    return Wait(who, stream, seconds, "the next step of", "because", "do", on)


def test_no_circle() -> None:
    assert find_circles([]) == []
    assert find_circles([wait(A, "b", B), wait(B, "c", C), wait(A, "c", C)]) == []


def test_two_that_wait_for_each_other_are_named_once() -> None:
    waits = [wait(A, "b", B, seconds=9.0), wait(B, "a", A, seconds=4.0), wait(C, "a", A)]
    circles = find_circles(waits)
    assert circles == [(waits[0], waits[1])]
    finding = deadlock(circles[0])
    assert finding.kind == "deadlock"
    assert finding.what == (
        "a rank 0 (pid 1 on node7) waits for the next step of 'b', "
        "b rank 0 (pid 2 on node7) waits for the next step of 'a': none of them can go on"
    )
    assert finding.who == (A, B)
    assert finding.seconds == 4.0, "as old as the wait that closed it"


def test_a_circle_of_three() -> None:
    circles = find_circles([wait(A, "b", C, B), wait(B, "c", C), wait(C, "a", A)])
    assert {frozenset(w.who for w in circle) for circle in circles} == {frozenset((A, C)), frozenset((A, B, C))}


def test_ranks_of_one_process_are_one() -> None:
    other_rank = Who("a", A.pid, "node7", 3)
    assert len(find_circles([wait(A, "b", B), wait(B, "a", other_rank)])) == 1


def test_the_same_pid_on_another_host_is_another_process() -> None:
    elsewhere = Who("a", A.pid, "node8", 0)
    assert find_circles([wait(A, "b", B), wait(B, "a", elsewhere)]) == []


def test_one_that_waits_for_itself() -> None:
    circles = find_circles([wait(A, "s", A)])
    assert len(circles) == 1
    finding = deadlock(circles[0])
    assert finding.what.endswith("waits for the next step of 's', and for itself: because")
    assert "unless another thread of it acts" in finding.advice
