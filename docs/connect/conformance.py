#!/usr/bin/env python3
"""Runs a publisher over an outbox with a crash at each step of each event, and checks what was published.

    python3 conformance.py FOLDER [EVERY]

For each step and each event a process publishes the round of publish.py as a table of its own and ends there without
any cleanup, as a killed process does. It is started again until it succeeds, and its device repeats all observations.
A send may also fail before the destination has the records, after it has them, and after it has a part of them.
FOLDER/all.ndjson then has each event once or more. EVERY 5 crashes at every fifth event only. Needs fork: not Windows.
"""
import json
import os
import sys
from datetime import datetime, timezone

import outbox
import publish

AT = datetime(2026, 1, 31, 18, 0, tzinfo=timezone.utc)
STEPS = ["numbered", "inserted", "stored", "sending", "sent", "acknowledged"]
FAILURES = ["refused", "unanswered", "cut"]
CRASHED = 86


def run(folder, table, step, nth):
    """One run of the publisher, which ends at the nth time of a step. Batches alternate with single events."""
    hits = 0

    def reached(name):
        nonlocal hits
        if name == step:
            hits += 1
            if hits == nth:
                os._exit(CRASHED)

    write = outbox.to_file(os.path.join(folder, table + ".ndjson"))

    def send(records):
        nonlocal hits
        if step in FAILURES:
            hits += 1
            if hits == nth:
                if step == "unanswered":
                    write(records)
                elif step == "cut":
                    with open(os.path.join(folder, table + ".ndjson"), "ab") as out:
                        out.write(b"\n".join(value for _, value in records)[:-100])
                os._exit(CRASHED)
        write(records)
    send.name = "test"
    box = outbox.Outbox(os.path.join(folder, table + ".outbox"), send, reached)
    # What a killed process has written is in the system's memory: only a loss of power needs the disk.
    box.db.execute("PRAGMA synchronous = OFF")
    os.fsync = lambda _: None
    added = 0

    def add(*event, **more):
        nonlocal added
        box.add("ac-1", table, *event, pit="p3", **more)
        added += 1
        if added % 3 != 0:  # delivers one event or two
            box.deliver()
    publish.play(add, AT)
    box.deliver()
    return added if box.pending() == 0 else -1


def forked(folder, table, step, nth):
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if run(folder, table, step, nth) > 0 else 1)
        except BaseException as error:
            print(f"{table}: {error!r}", file=sys.stderr)
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def check(path, events):
    """The number of records of a log that holds each event, in order; an AssertionError otherwise."""
    with open(path, "rb") as log:
        lines = log.read().splitlines()
    first, seen = [], {}
    for line in lines:
        event = json.loads(line)
        if event["event_id"] not in seen:
            seen[event["event_id"]] = line
            first.append(event["seq"])
        assert seen[event["event_id"]] == line, f"{path}: event {event['seq']} was sent with other bytes"
    assert first == list(range(1, events + 1)), f"{path}: events {first}, want 1 to {events}"
    return len(lines)


def main():
    folder, every = sys.argv[1], int((sys.argv + ["1"])[2])
    os.makedirs(folder, exist_ok=True)
    events = run(folder, "none", "none", 0)
    tables, crashes, records = ["none"], 0, 0
    for step in STEPS + FAILURES:
        nth = 1 - every
        while True:
            nth += every
            table = f"{step}-{nth}"
            code = forked(folder, table, step, nth)
            tables.append(table)
            if code == 0:
                break  # the step was not reached so often
            assert code == CRASHED, f"{table}: exit code {code}"
            crashes += 1
            assert forked(folder, table, "none", 0) == 0, f"{table}: the second run failed"
    for table in tables:
        records += check(os.path.join(folder, table + ".ndjson"), events)
    with open(os.path.join(folder, "all.ndjson"), "wb") as out:
        for table in tables:
            with open(os.path.join(folder, table + ".ndjson"), "rb") as log:
                out.write(log.read())
    print(f"crashes {crashes}, tables {len(tables)}, events {events * len(tables)}, "
          f"records {records}, lost 0, numbered twice 0")


if __name__ == "__main__":
    main()
