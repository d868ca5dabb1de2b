"""Streams in asyncio, and readers in select."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import select
import selectors
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import staithe


async def write(out: staithe.Writer, steps: int, pause: float = 0.0) -> None:
    for index in range(steps):
        async with out.step() as step:
            step.put("x", np.full(3, index))
        await asyncio.sleep(pause)


async def read(reader: staithe.Reader) -> list[int]:
    return [int(step["x"][0]) async for step in reader]


def test_a_reader_and_a_writer_share_a_loop(stream: str) -> None:
    async def both() -> list[int]:
        # A queue of one step: each waits for the other at every turn.
        with staithe.writer(stream, queue_steps=1) as out:
            reader = staithe.reader(stream)
            reading = asyncio.create_task(read(reader))
            await write(out, 50)
            out.close()
            return await reading

    assert asyncio.run(both()) == [*range(50)]


def test_streams_are_closed_at_the_end_of_their_blocks(stream: str) -> None:
    async def simulate(out: staithe.Writer) -> None:
        async with out as same:
            assert same is out
            await write(out, 3)  # fills no queue: it is the end of the block that waits for the reader

    async def both() -> list[int]:
        out = staithe.writer(stream)
        writing = asyncio.create_task(simulate(out))
        await asyncio.sleep(0.05)
        assert not writing.done()
        async with staithe.reader(stream) as reader:
            got = await read(reader)
            await writing
        assert out.closed and reader.closed
        return got

    assert asyncio.run(both()) == [0, 1, 2]


def test_a_writer_whose_block_fails_ends_its_stream_as_failed(stream: str) -> None:
    async def failing(out: staithe.Writer) -> None:
        async with out:
            await write(out, 1)
            raise ZeroDivisionError("of all things")

    async def both() -> None:
        out = staithe.writer(stream)
        async with staithe.reader(stream) as reader:
            with pytest.raises(ZeroDivisionError):
                await failing(out)
            with pytest.raises(staithe.WriterFailed, match="ZeroDivisionError: of all things"):
                await read(reader)

    asyncio.run(both())


def test_a_reader_is_closed_at_the_end_of_its_block(stream: str) -> None:
    async def reading() -> staithe.Reader:
        with staithe.writer(stream) as out:
            async with staithe.reader(stream) as reader:
                await write(out, 1)
                assert (await anext(reader)).index == 0
        return reader

    assert asyncio.run(reading()).closed


def test_several_readers_in_one_loop_while_other_tasks_run(stream: str) -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.001)
            ticks += 1

    async def all_of_them() -> list[list[int]]:
        names = [f"{stream}-{number}" for number in range(8)]
        outs = [staithe.writer(name, queue_steps=2) for name in names]
        readers = [staithe.reader(name) for name in names]
        ticking = asyncio.create_task(tick())
        reading = [asyncio.create_task(read(reader)) for reader in readers]
        await asyncio.gather(*(write(out, 20, 0.002) for out in outs))
        for out in outs:
            out.close()
        results = await asyncio.gather(*reading)
        ticking.cancel()
        return results

    assert asyncio.run(all_of_them()) == [[*range(20)]] * 8
    assert ticks > 5


def test_a_cancelled_wait_loses_no_step(stream: str) -> None:
    async def cancelling() -> list[int]:
        got = []
        with staithe.writer(stream) as out, staithe.reader(stream) as reader:

            async def take() -> None:
                async for step in reader:
                    got.append(step.index)

            writing = asyncio.create_task(write(out, 60, 0.002))
            while len(got) < 60:
                taking = asyncio.create_task(take())
                await asyncio.sleep(0.003)
                taking.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await taking
            await writing
        return got

    assert asyncio.run(cancelling()) == [*range(60)]


def test_a_cancelled_wait_for_room_opens_no_step(stream: str) -> None:
    async def cancelling() -> None:
        with staithe.writer(stream, queue_steps=1) as out, staithe.reader(stream) as reader:
            await write(out, 1)
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.02):
                    await write(out, 1)
            assert out.next_step == 1
            assert reader.next() is not None
            waiting = asyncio.create_task(read(reader))  # releases that step
            await write(out, 1)
            assert out.next_step == 2
            out.close()
            assert await waiting == [0]

    asyncio.run(cancelling())


def test_an_ordinary_call_follows_a_cancelled_one(stream: str) -> None:
    async def cancelling() -> None:
        with staithe.writer(stream) as out, staithe.reader(stream) as reader:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.01):
                    await anext(aiter(reader))
            with out.step() as step:  # opened as its block is entered
                step.put("x", 1)
            assert next(reader)["x"][...] == 1
            with pytest.raises(staithe.Timeout):
                reader.next(timeout=0.01)

    asyncio.run(cancelling())


def test_a_loop_that_ends_leaves_no_thread_behind(stream: str) -> None:
    async def leave_waiting() -> None:
        waiting = asyncio.create_task(read(reader))
        await asyncio.sleep(0.01)
        assert not waiting.done()

    with staithe.writer(stream, readers=0):
        reader = staithe.reader(stream)
        with_streams = len(native_threads())
        asyncio.run(leave_waiting())
        assert len(native_threads()) == with_streams + 1
        reader.close()
        assert len(native_threads()) == with_streams
        # Nor does a reader that nobody closes.
        asyncio.run(leave_waiting_with_a_reader(stream))
        gc.collect()
        assert len(native_threads()) == with_streams


async def leave_waiting_with_a_reader(stream: str) -> None:
    waiting = asyncio.create_task(read(staithe.reader(stream)))
    await asyncio.sleep(0.01)
    waiting.cancel()


def native_threads() -> list[str]:
    return [task.name for task in Path("/proc/self/task").iterdir()]


@pytest.mark.parametrize("end", ["", "reader.fileno()", "if os.fork(): os.wait()"])
def test_a_program_ends_although_streams_are_awaited(end: str, run_python: Callable[..., str]) -> None:
    program = f"""
import asyncio, os, warnings
import staithe
warnings.simplefilter("ignore")

async def wait():
    asyncio.create_task(anext(aiter(reader)))
    asyncio.create_task(out.step().__aenter__())
    await asyncio.sleep(0.05)

out = staithe.writer("melt", queue_steps=1, readers=0)
reader = staithe.reader("melt")
with out.step() as step:
    step.put("x", 1)
other = staithe.reader("melt", program="other")
held = reader.next()
asyncio.run(wait())
{end}
"""
    run_python(program)


def test_the_timeout_of_the_stream_holds(stream: str) -> None:
    async def waiting() -> None:
        out = staithe.writer(stream, queue_steps=1, timeout=0.05)
        with out, staithe.reader(stream, timeout=0.05) as reader:
            with pytest.raises(staithe.Timeout, match=r"no step came .* awaited for 0\.05 s"):
                await read(reader)
            await write(out, 1)
            with pytest.raises(staithe.Timeout, match=r"the queue stayed full .* awaited for 0\.05 s"):
                await write(out, 1)
            with pytest.raises(staithe.Timeout, match=r"awaited for 0\.01 s"):
                await out.step(timeout=0.01).__aenter__()

    asyncio.run(waiting())


def test_the_error_of_a_dead_writer_arrives(stream: str, start_python: Callable[..., Any]) -> None:
    writer = start_python(
        "import os, sys, staithe\n"
        "with staithe.writer(sys.argv[1]) as out:\n"
        "    with out.step() as step:\n"
        "        step.put('x', [7])\n"
        "    sys.stdin.readline()\n"
        "    os._exit(1)\n",
        stream,
    )

    async def reading() -> None:
        with staithe.reader(stream) as reader:
            step = await anext(aiter(reader))
            assert step["x"][0] == 7
            writer.stdin.write("go\n")
            writer.stdin.flush()
            with pytest.raises(staithe.PeerLost):
                await read(reader)

    asyncio.run(reading())


def test_a_failed_block_publishes_nothing(stream: str) -> None:
    async def failing() -> list[int]:
        out, reader = staithe.writer(stream), staithe.reader(stream)
        with contextlib.suppress(ZeroDivisionError):
            async with out.step() as step:
                step.put("x", [1])
                _ = 1 / 0
        async with out.step() as step:
            step.put("x", [2])
        out.close()
        return await read(reader)

    assert asyncio.run(failing()) == [2]


def test_two_tasks_on_one_reader_are_told(stream: str) -> None:
    async def two() -> None:
        with staithe.writer(stream, readers=0), staithe.reader(stream) as reader:
            first = asyncio.create_task(read(reader))
            await asyncio.sleep(0.01)
            with pytest.raises(staithe.InvalidArgument, match="another task waits"):
                await read(reader)
            first.cancel()

    asyncio.run(two())


def test_a_step_in_a_loop_opens_with_its_first_use(stream: str) -> None:
    async def using() -> None:
        with staithe.writer(stream, readers=0, queue_steps=4) as out:
            unused = out.step()
            assert "to be opened" in repr(unused)
            step = out.step()
            step.attrs["a"] = 1
            assert step.index == 0 and "WriteStep 0 of" in repr(step)
            step.end()
            assert out.step().index == 1  # and abandoned

    asyncio.run(using())


def test_a_closed_reader_says_so(stream: str) -> None:
    with staithe.writer(stream, readers=0):
        reader = staithe.reader(stream)
        reader.close()
        with pytest.raises(staithe.Closed):
            asyncio.run(read(reader))
        with pytest.raises(staithe.Closed):
            reader.fileno()


def test_the_end_stays_the_end(stream: str) -> None:
    out = staithe.writer(stream, readers=0)
    reader = staithe.reader(stream)
    out.close()
    assert asyncio.run(read(reader)) == [] == asyncio.run(read(reader))
    assert reader.closed and reader.next() is None


def test_newest_steps_are_asked_for_as_late_as_can_be(stream: str) -> None:
    async def slowly() -> list[int]:
        got = []
        with staithe.writer(stream, queue_steps=3) as out, staithe.reader(stream, overflow="latest") as reader:
            await write(out, 10)
            async for step in reader:
                got.append(step.index)
                if step.index == 29:
                    return got
                await write(out, 10)
        return got

    assert asyncio.run(slowly()) == [9, 19, 29]


def test_select(stream: str) -> None:
    with staithe.writer(stream) as out, staithe.reader(stream) as reader:

        def ready(seconds: float) -> bool:
            return bool(select.select([reader], [], [], seconds)[0])

        assert not ready(0.01)
        for index in range(3):
            with out.step() as step:
                step.put("x", index)
            assert ready(20)
            got = reader.next(timeout=0)
            assert got is not None and got["x"][...] == index
            assert not ready(0)
        threading.Timer(0.02, out.close).start()
        assert ready(20)
        assert reader.next(timeout=0) is None
        assert ready(0) and reader.next(timeout=0) is None and reader.closed


def test_selectors_with_many_streams(stream: str) -> None:
    names = [f"{stream}-{number}" for number in range(4)]
    outs = [staithe.writer(name) for name in names]
    readers = [staithe.reader(name) for name in names]

    def write_all() -> None:
        for index in range(30):
            for out in outs:
                with out.step() as step:
                    step.put("x", index)
        for out in outs:
            out.close()

    writing = threading.Thread(target=write_all)
    writing.start()
    got: dict[str, list[int]] = {name: [] for name in names}
    with selectors.DefaultSelector() as selector:
        for reader in readers:
            selector.register(reader, selectors.EVENT_READ)
        while selector.get_map():
            for key, _ in selector.select():
                ready = key.fileobj
                assert isinstance(ready, staithe.Reader)
                step = ready.next(timeout=0)
                if step is None:
                    selector.unregister(ready)
                    ready.close()
                else:
                    got[ready.name].append(int(step["x"][...]))
    writing.join()
    assert list(got.values()) == [[*range(30)]] * 4


def test_add_reader(stream: str) -> None:
    async def by_callback() -> list[int]:
        loop = asyncio.get_running_loop()
        over = loop.create_future()
        got: list[int] = []

        def take() -> None:
            step = reader.next(timeout=0)
            if step is None:
                loop.remove_reader(reader)
                over.set_result(None)
            else:
                got.append(int(step["x"][0]))

        with staithe.writer(stream) as out, staithe.reader(stream) as reader:
            loop.add_reader(reader, take)
            await write(out, 20)
            out.close()
            await over
        return got

    assert asyncio.run(by_callback()) == [*range(20)]


def test_a_waiting_loop_uses_no_processor(stream: str) -> None:
    async def waiting() -> float:
        with staithe.writer(stream, readers=0), staithe.reader(stream) as reader:
            reading = asyncio.create_task(read(reader))
            await asyncio.sleep(0.05)
            before = time.process_time()
            await asyncio.sleep(1.0)
            used = time.process_time() - before
            reading.cancel()
        return used

    assert asyncio.run(waiting()) < 0.2
