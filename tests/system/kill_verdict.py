"""What must hold when a case of the kill matrix is over."""

from __future__ import annotations

from dataclasses import dataclass, field

from fork_server import Child, Event
from kill_cases import Case


@dataclass
class Verdict:
    """What a case showed: what went wrong, and how long survivors took to learn of the death."""

    faults: list[str] = field(default_factory=list)
    notice: list[float] = field(default_factory=list)
    dropped: int = 0  # steps, by groups that may lose some
    spilled: int = 0
    came_back: bool = False


@dataclass
class Reader:
    """A reader rank, and what it has told."""

    name: str
    child: Child
    group: int
    got: list[int]

    @property
    def dropped(self) -> int:
        told = self.child.all("dropped")
        return int(told[-1].details[0]) if told else 0


def back(rank: int) -> str:
    """What a writer rank is called that was started again."""
    return f"writer {rank}, back"


def judge(case: Case, cast: dict[str, Child], death: float) -> Verdict:
    """Looks at what all processes told. `death`: when the victim was killed; it may have gone on a moment before."""
    return _Judge(case, cast, death).look_at_all()


def steps_of(child: Child) -> list[int]:
    return [int(event.details[0]) for event in child.all("got")]


class _Judge:
    def __init__(self, case: Case, cast: dict[str, Child], death: float) -> None:
        self.case, self.cast, self.death = case, cast, death
        self.verdict = Verdict()
        self.visible = case.visible()
        self.first_life = [cast[f"writer {rank}"] for rank in range(case.ranks)]
        self.second_life = [cast[back(rank)] for rank in range(case.ranks) if back(rank) in cast]
        self.complete = self._surely_complete()

    def look_at_all(self) -> Verdict:
        for name, child in self.cast.items():
            for event in child.all("breaks"):
                self._fault(f"{name}: {event.details[0]}")
            self.verdict.spilled += sum(int(event.details[0]) for event in child.all("spilled"))
            if name != self.case.victim:
                self._judge_survivor(name, child)
        self._judge_groups()
        self._judge_analyses()
        if self.second_life:
            self._judge_second_life()
        return self.verdict

    def _fault(self, text: str) -> None:
        self.verdict.faults.append(text)

    def _judge_survivor(self, name: str, child: Child) -> None:
        if not child.has("rests"):
            self._fault(f"{name} did not come to its end")
        for event in child.all("fails"):
            self._judge_failure(name, event)
        goes_on = (self.case.who == "reader" and self.case.gate) or child in self.second_life
        if name.startswith("reader"):
            self._judge_reader(name, child)
        elif goes_on and not child.has("returns", "close"):
            self._fault(f"{name} did not go on after the death of {self.case.victim}")

    def _judge_failure(self, name: str, event: Event) -> None:
        case, child = self.case, self.cast[name]
        call, number, kind, message = event.details
        if case.comes_back and call == "fetch" and kind == "PeerLost" and not case.sees_what_dies(name):
            return
        if case.comes_back and (name.startswith("reader") or child in self.second_life):
            self._fault(f"{name}, {call} {number}, although the writer came back: {kind}: {message}")
            return
        # A rank that comes to its next call after rank 0 has given the stream up finds it closed.
        given_up = kind == "Closed" and name.startswith("writer") and (case.who == "writer" or not case.gate)
        # Who loses patience with those that never come fails, and so does the stream for the others.
        impatient = not case.gate and (kind == "Timeout" or (kind == "WriterFailed" and "errors.Timeout: " in message))
        # Of two that go one after the other, some hear of the second one: whom the first one's failure has ended. Who
        # has joined is told of both.
        passed_on = kind == "WriterFailed" and any(
            f"errors.{first}: " in message for first in ("PeerLost", "WriterFailed")
        )
        if given_up or impatient or (passed_on and call == "open"):
            return
        says_why = case.raises and call != "fetch"
        if kind != ("WriterFailed" if says_why else "PeerLost") and not passed_on:
            self._fault(f"{name}, {call} {number}: {kind}: {message}")
            return
        if case.who == "reader":
            self._fault(f"{name}, {call} {number}: the death of a reader became {kind}: {message}")
            return
        began = max(found.at for found in child.all("calls", call, number) if found.at <= event.at)
        if case.gate:  # else it may have waited for others to join, first
            self.verdict.notice.append(event.at - max(self.death, began))
        # The others follow a rank that dies, with the blocks that they hold.
        lost = range(case.ranks) if call == "fetch" else [case.rank]
        # Who has not joined knows the process that went away, but not yet what it was to be.
        roles = [("" if call == "open" else f"writer rank {rank}", self.cast[f"writer {rank}"]) for rank in lost]
        reason = f"GivesUp: it gives up {case.point} {case.at}" if says_why else ""
        if reason not in message or not any(
            role in message and f"(pid {writer.pid_inside} on {writer.host}" in message for role, writer in roles
        ):
            self._fault(f"{name}, {call} {number}: is not told who died: {message}")

    # Readers -------------------------------------------------------------------------------------------------

    def _judge_reader(self, name: str, child: Child) -> None:
        group = int(name.removeprefix("reader ").partition(".")[0])
        reader = Reader(name, child, group, steps_of(child))
        if self.case.is_lossy(group):
            self._judge_steps_of_lossy(reader)
            self.verdict.dropped += reader.dropped
        else:
            self._judge_steps_of_lossless(reader)
        self._judge_end(reader)

    def _judge_steps_of_lossless(self, reader: Reader) -> None:
        case, got = self.case, reader.got
        # Until a group has joined, the stream's policy says what is kept for it.
        is_kept = case.gate or case.overflow in ("block", "spill")
        expected = self.visible[: len(got)] if is_kept else sorted(set(got) & set(self.visible))
        if self.second_life and not self._sees_all(reader):
            # Of those before, what it had not fetched is lost. Nor does a step come twice whose blocks were lost to it,
            # although the second life, told by no other reader of that step, may begin with the same number.
            first = self._first_of_second_life()
            lost = {int(event.details[0]) for event in reader.child.all("loses")}
            expected = [number for number in self.visible if number in got or (number >= first and number not in lost)]
        if got != expected:
            self._fault(f"{reader.name} got the steps {got} of {self.visible}")
        if self._is_owed_steps(reader) and (missing := [number for number in self.complete if number not in got]):
            self._fault(f"{reader.name} lacks the steps {missing}, which were complete")

    def _judge_steps_of_lossy(self, reader: Reader) -> None:
        case, got = self.case, reader.got
        if got != sorted(set(got)) or not set(got) <= set(self.visible):
            self._fault(f"{reader.name} got the steps {got} of {self.visible}")
        # A group that comes late counts from its first step on. What it had not asked for dies with the director.
        if not case.gate or case.who == "rank 0" or self.second_life or not self._sees_all(reader):
            return
        missing = [number for number in self.complete if number not in got]
        if len(missing) > reader.dropped:
            self._fault(f"{reader.name} lacks the steps {missing}, but only {reader.dropped} were dropped")
        if reader.child.has("ends") and len(got) + reader.dropped != len(self.visible):
            self._fault(f"{reader.name} got {got} of {self.visible}, but {reader.dropped} were dropped")
        policy = case.policy(reader.group)
        if policy.startswith("keep-every-"):
            every = int(policy.rpartition("-")[2])
            if lost := [number for number in missing if number % every == 0]:
                self._fault(f"{reader.name} lost the steps {lost}, although its policy is {policy}")

    def _is_owed_steps(self, reader: Reader) -> bool:
        """Whether its group was there early enough to get every step."""
        case = self.case
        mates = [self.cast[f"reader {reader.group}.{rank}"] for rank in range(case.groups[reader.group].size)]
        joined = all(mate.all("returns", "open") and mate.all("returns", "open")[0].at < self.death for mate in mates)
        early = case.gate or (case.who != "reader" and case.overflow in ("block", "spill"))
        return joined and early and self._sees_all(reader)

    def _sees_all(self, reader: Reader) -> bool:
        """Whether no step is lost to it with those who wrote it."""
        return self.case.who == "reader" or self.case.sees_what_dies(reader.name)

    def _judge_end(self, reader: Reader) -> None:
        case, child = self.case, reader.child
        if case.who == "reader" or case.comes_back:
            whole = case.is_lossy(reader.group) or not self._sees_all(reader) or reader.got == self.visible
            if case.gate and not (child.has("ends") and whole):
                self._fault(f"{reader.name} did not read to the end: {reader.got} of {self.visible}")
            return
        victim = self.cast[case.victim]
        if child.has("ends") and not victim.has("calls", "close"):
            self._fault(f"{reader.name} came to a normal end, although {case.victim} died")
        if victim.has("returns", "close") and not child.has("ends"):
            self._fault(f"{reader.name} came to no normal end, although {case.victim} had closed the stream")

    def _judge_groups(self) -> None:
        """All ranks of a group see the same steps (but the dead one, and at the death of the director itself)."""
        case = self.case
        if case.who == "rank 0" or not (case.gate or case.who == "writer"):
            return
        for number, group in enumerate(case.groups):
            names = [f"reader {number}.{rank}" for rank in range(group.size)]
            if case.who == "writer" and not all(case.sees_what_dies(name) for name in names):
                continue
            seen = {tuple(steps_of(self.cast[name])) for name in names if name != case.victim}
            if len(seen) > 1:
                self._fault(f"the ranks of group {number} saw different steps: {seen}")

    # Writers -------------------------------------------------------------------------------------------------

    def _surely_complete(self) -> list[int]:
        """Steps that all ranks had ended, and that the director had heard of, before the death."""
        ended = []
        for number in self.visible:
            ends = [writer.all("returns", "end", number) for writer in self.first_life]
            if all(ends):
                ended.append((number, max(end[0].at for end in ends)))
        if self.case.who != "rank 0" or self.case.ranks == 1:
            return [number for number, at in ended if at < self.death]
        # Rank 0 looks at what the others have sent when it begins a step, once in eight at least, and where it is to
        # wait for room.
        rank_0 = self.first_life[0]
        begun = [event.details[1] for event in rank_0.all("returns", "begin") if event.at < self.death]
        looked = [event.at for event in rank_0.all("calls", "begin") if event.details[1] in begun]
        steps_a_look = min(8, self.case.queue_steps)
        return [number for number, at in ended if sum(at < begin for begin in looked) >= steps_a_look]

    def _judge_analyses(self) -> None:
        """Every rank has analysed each step that it ended, at once, and no other."""
        for child in [*self.first_life, *self.second_life] if self.case.inline else []:
            ended = [event.details[1] for event in child.all("returns", "end") if event.details[1] in self.visible]
            seen = steps_of(child)
            # In the call that it died in, or that failed, it may have come as far as to its analyses.
            tried = [event.details[1] for event in child.all("calls", "end") if event.details[1] in self.visible]
            # A rank that raised within a step has abandoned it for all.
            spared = [number for number in ended if not (self.case.raises and number == self.case.at)]
            if seen not in (ended, tried, spared):
                self._fault(f"{child.name} ended the steps {ended}, but its analysis saw {seen}")

    def _first_of_second_life(self) -> int:
        return min(int(event.details[0]) for child in self.second_life for event in child.all("begins with"))

    def _judge_second_life(self) -> None:
        """It goes on after the last step that was published, on all ranks."""
        self.verdict.came_back = True
        begins = {event.details[0] for child in self.second_life for event in child.all("begins with")}
        if len(begins) != 1:
            self._fault(f"the ranks that came back begin with the steps {begins}")
            return
        first = self._first_of_second_life()
        if self.complete and first <= self.complete[-1]:
            self._fault(f"the writer came back with step {first}, although {self.complete[-1]} was complete")
        for child in self.first_life:
            if first > 0 and not child.has("returns", "begin", first - 1):
                self._fault(f"the writer came back with step {first}, although {child.name} never began the one before")
