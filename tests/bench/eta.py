#!/usr/bin/env python3
"""How good the time left is that a command announces.

Runs the command on a terminal of its own, reads its progress lines ("sweep:  34 %, 0:52 left, ..."),
and compares each time left with the time that was really left then, from 10 % on. The clock on the
line shows whole seconds, rounded up, so that a deviation of a second and a half counts as none.
Prints the median and the worst ratio, and the share of lines within a factor of 2. A machine that
other work loads meanwhile by different amounts makes the ratios worse.

  e.g. tests/bench/eta.py build/release/roundabout sweep --no-plots -o /tmp/default.db
"""
import argparse
import os
import pty
import re
import statistics
import sys
import time

LINE = re.compile(rb"[\r\n]?(?:\x1b\[K)?([a-z][a-z ]*): +(\d+) %, (?:(\d+):)?(\d+):(\d\d) left")
SLACK_S = 1.5


def run(command):
    """The lines as (time, percentage, seconds left), and the whole duration."""
    seen = []
    start = time.monotonic()
    child, terminal = pty.fork()
    if child == 0:
        os.execvp(command[0], command)
    while True:
        try:
            text = os.read(terminal, 65536)
        except OSError:
            break
        if not text:
            break
        now = time.monotonic() - start
        for match in LINE.finditer(text):
            _, percent, hours, minutes, seconds = match.groups()
            left = int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds)
            seen.append((now, int(percent), left))
    _, status = os.waitpid(child, 0)
    if status != 0:
        sys.exit(f"the command failed with status {os.waitstatus_to_exitcode(status)}")
    return seen, time.monotonic() - start


def ratio(announced, true):
    """By how much the announced time is wrong: above 1 if it is too long."""
    if abs(announced - true) <= SLACK_S:
        return 1.0
    return max(announced, 0.5) / max(true, 0.5)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--csv", help="file for all lines: seconds, percent, left, true left")
    arguments.add_argument("command", nargs=argparse.REMAINDER)
    given = arguments.parse_args()
    seen, whole = run(given.command)
    if given.csv:
        with open(given.csv, "w", encoding="ascii") as file:
            file.write("at_s,percent,left_s,true_left_s\n")
            for now, percent, left in seen:
                file.write(f"{now:.2f},{percent},{left},{whole - now:.2f}\n")
    late = [line for line in seen if line[1] >= 10]
    ratios = [ratio(left, whole - now) for now, _, left in late]
    if not ratios:
        sys.exit("the command showed no time left from 10 % on")
    falls = sum(a[1] > b[1] for a, b in zip(seen, seen[1:]))
    within = sum(0.5 <= one <= 2 for one in ratios) / len(ratios)
    worst = max(ratios, key=lambda one: max(one, 1 / one))
    print(f"{whole:.1f} s, load {os.getloadavg()[0]:.1f}, {len(ratios)} lines from 10 % on: "
          f"announced/true median {statistics.median(ratios):.2f}, "
          f"worst {worst:.2f}, {100 * within:.0f} % within a factor of 2, "
          f"{falls} falls of the percentage; first line {seen[0]}")


if __name__ == "__main__":
    main()
