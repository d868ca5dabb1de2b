from __future__ import annotations

from staithe.workflow.lines import LineSplitter


def test_lines_come_whole_however_they_arrive() -> None:
    splitter = LineSplitter()
    lines = [line for at in range(12) for line in splitter.feed("één\nzwei\n3"[at : at + 1].encode())]
    assert lines + splitter.end() == ["één", "zwei", "3"]
    assert splitter.end() == []


def test_a_progress_bar_shows_its_last_state() -> None:
    assert LineSplitter().feed(b"10 %\r20 %\r100 %\r\ndone\r\n") == ["100 %", "done"]


def test_an_endless_line_is_handed_on_in_pieces() -> None:
    splitter = LineSplitter()
    pieces = [piece for _ in range(40) for piece in splitter.feed(b"x" * 10_000)] + splitter.end()
    assert sum(map(len, pieces)) == 400_000
    assert max(map(len, pieces)) < 80_000


def test_bytes_that_are_no_text() -> None:
    assert LineSplitter().feed(b"a\xffb\n") == ["a\N{REPLACEMENT CHARACTER}b"]
