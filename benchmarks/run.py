"""Runs the benchmarks and reports them: `python benchmarks/run.py --quick`. See README.md beside this file."""

import argparse
import os
import sys
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY))

from rich.console import Console

from benchmarks import cases, contenders
from benchmarks.harness import markdown, record, terminal
from benchmarks.harness.experiment import run_case
from benchmarks.harness.launch import Launcher
from benchmarks.harness.machine import describe_machine


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Staithe beside its peers and beside the limit of the machine.")
    parser.add_argument("--quick", action="store_true", help="fewer sizes and repeats: about 4 minutes, not 20")
    known = cases.NAMES + cases.HOSTS_NAMES + cases.SERVERS_NAMES + cases.IN_FLIGHT_NAMES + cases.FILES_NAMES
    parser.add_argument("--case", action="append", choices=known, help="this case only (may be repeated)")
    parser.add_argument("--contender", action="append", choices=contenders.NAMES, help="these contenders only")
    parser.add_argument("--hosts", action="store_true", help="the cases between hosts, as root: about 25 minutes")
    parser.add_argument("--servers", action="store_true", help="the cases of spaces and servers")
    parser.add_argument("--in-flight", action="store_true", help="what is encoded on its way between hosts, as root")
    parser.add_argument("--files", action="store_true", help="the cases of files")
    parser.add_argument("--cores", help="the cores to use, e.g. 2,3; default: the first two that are allowed")
    parser.add_argument("--json", type=Path, default=REPOSITORY / "build" / "bench" / "results.json")
    parser.add_argument("--markdown", type=Path, help="write the tables here, as Markdown")
    parser.add_argument("--figure", type=Path, help="draw the figure here (.svg or .png)")
    return parser.parse_args()


def main() -> None:
    arguments = parse_arguments()
    console = Console(width=None if sys.stdout.isatty() else 180)
    allowed = sorted(os.sched_getaffinity(0))
    cores = [int(core) for core in arguments.cores.split(",")] if arguments.cores else allowed[:2]
    if len(set(cores)) < 2:
        console.print("[yellow]Only one core: writer and reader take turns on it, and no ratio means much.[/yellow]")
    peers = [contenders.contender_named(name) for name in contenders.NAMES]
    machine = describe_machine(cores, {peer.package: peer.version() for peer in peers if peer.package})
    console.print(f"{machine.line}\n{machine.versions_line}\n", highlight=False)

    launcher = Launcher(cores)
    chosen = set(arguments.contender or contenders.NAMES)
    started = time.monotonic()
    tables = []

    families = {
        "hosts": (arguments.hosts, cases.HOSTS_NAMES),
        "servers": (arguments.servers, cases.SERVERS_NAMES),
        "in_flight": (arguments.in_flight, cases.IN_FLIGHT_NAMES),
        "files": (arguments.files, cases.FILES_NAMES),
    }
    family = next((name for name, (is_chosen, _) in families.items() if is_chosen), "results")
    names = arguments.case or (cases.NAMES if family == "results" else families[family][1])
    for number, name in enumerate(names, 1):
        with terminal.Trials(f"{name}, case {number} of {len(names)}") as trials:
            table = run_case(cases.case_named(name), launcher, arguments.quick, chosen, trials.done)
        terminal.show(console, table)
        tables.append(table)
        # After every case: what is done is kept, should the rest be interrupted.
        record.write(arguments.json, machine, tables)
    terminal.show_summary(console, tables)
    if arguments.markdown:
        markdown.write(arguments.markdown, machine, tables, family)
    if arguments.figure:
        from benchmarks.harness import figure, link_figure

        links = next((table for table in tables if table.case == "in_flight_links"), None)
        if links:
            link_figure.draw(arguments.figure, machine, links)
        else:
            figure.draw(arguments.figure, machine, tables)
    console.print(f"{time.monotonic() - started:.0f} s; values: {arguments.json}")


if __name__ == "__main__":
    main()
