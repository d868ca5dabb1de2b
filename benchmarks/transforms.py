"""Codecs on fields of all natures, beside their peers and beside memcpy: `python benchmarks/transforms.py --quick`.

The limit is a copy of the array from memory to memory by the same core. See README.md beside this file.
"""

import argparse
import os
import sys
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY))
os.environ["OMP_NUM_THREADS"] = "1"  # of the peers

from rich.console import Console

from benchmarks.coding import extras, fields, report
from benchmarks.coding.coders import LIMIT, all_coders
from benchmarks.coding.measure import Cell, measure, rate_distortion
from benchmarks.coding.summary import write_summary
from benchmarks.harness.machine import describe_machine

BOUNDS = (1e-3, 1e-5, 0.0)  # the last one: exact
BOUNDS_OF_FIGURE = tuple(10.0**-digits for digits in range(1, 7))


def parse_arguments(coders: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Staithe's codecs beside their peers and beside memcpy.")
    parser.add_argument("--quick", action="store_true", help="fewer repeats: about five minutes, not ten")
    parser.add_argument("--field", action="append", choices=fields.NAMES, help="this field only (may be repeated)")
    parser.add_argument("--coder", action="append", choices=coders, help="these coders only, and memcpy")
    parser.add_argument(
        "--bound", action="append", type=float, help="share of the range, 0: exact; default: 1e-3, 1e-5 and 0"
    )
    parser.add_argument("--no-extras", action="store_true", help="no threads, boxes and probes")
    parser.add_argument(
        "--cores", help="the cores to use, e.g. 2,3: one, and two for two threads; default: the first ones"
    )
    parser.add_argument("--json", type=Path, default=REPOSITORY / "build" / "bench" / "transforms.json")
    parser.add_argument("--markdown", type=Path, help="write the tables here, as Markdown")
    parser.add_argument("--summary", type=Path, help="write a line for each field here, as Markdown")
    parser.add_argument("--figure", type=Path, help="NAME.svg: draw NAME_speed.svg and NAME_rate.svg")
    return parser.parse_args()


def main() -> None:
    coders = list(all_coders())
    arguments = parse_arguments([coder.name for coder in coders])
    console = Console(width=None if sys.stdout.isatty() else 200)
    allowed = sorted(os.sched_getaffinity(0))
    cores = [int(core) for core in arguments.cores.split(",")] if arguments.cores else allowed[:2]
    os.sched_setaffinity(0, {cores[0]})
    machine = describe_machine(cores, {coder.package: coder.version() for coder in coders if coder.package})
    console.print(f"{machine.line}\n{machine.versions_line}\n", highlight=False)

    started = time.monotonic()

    def progress(text: str) -> None:
        print(f"{time.monotonic() - started:6.1f} s  {text}", file=sys.stderr)

    repeats = 3 if arguments.quick else 9
    sources = [field for field in fields.FIELDS if field.name in (arguments.field or fields.NAMES)]
    chosen = [coder for coder in coders if coder.name in (*(arguments.coder or (c.name for c in coders)), LIMIT)]
    results = report.Results(machine, [], [], {})
    rates: list[Cell] = []
    for share in arguments.bound or BOUNDS:
        for source in sources:
            try:
                results.cells += measure(source, share, chosen, repeats, progress)
            except fields.Unavailable as problem:
                results.failures[source.name] = str(problem)
    if not arguments.no_extras:
        results.extras = [*extras.threads(cores, repeats), *extras.boxes(repeats), *extras.probes(sources, progress)]
    report.show(console, results)
    report.write_json(arguments.json, results)
    if arguments.markdown:
        report.write_markdown(arguments.markdown, results)
    if arguments.summary:
        write_summary(arguments.summary, results)
    if arguments.figure:
        from benchmarks.coding import figure

        for source in sources:
            if source.name not in results.failures:
                progress(f"rates: {source.name}")
                rates += rate_distortion(source, chosen, BOUNDS_OF_FIGURE)
        name = arguments.figure
        figure.draw_speeds(name.with_stem(f"{name.stem}_speed"), machine, results.cells)
        figure.draw_rates(name.with_stem(f"{name.stem}_rate"), machine, rates)
    console.print(f"{time.monotonic() - started:.0f} s; values: {arguments.json}")


if __name__ == "__main__":
    main()
