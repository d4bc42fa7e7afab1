#!/usr/bin/env python3
"""Estimates one large dump on many machines: parts over Dask, then `pagepress merge`.

The dump lies on storage that every worker sees under the same path, pagepress is installed on every worker, and each
task is one `pagepress estimate --partial K/N`. A task whose worker is lost is given to another one by the scheduler.

    estimate.py --scheduler tcp://10.0.0.1:8786 --parts 64 --shared /mnt/shared/parts /mnt/shared/orders.bson \
        --out orders.json -- --codec zstd:3,zstd:6 --index '{"user":1}'

Without --scheduler a cluster of processes on this machine is started. What stands behind `--` is handed to pagepress.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

from distributed import Client, LocalCluster, as_completed


class PartFailed(Exception):
    """pagepress refused a part; its message is ours."""


def make_part(pagepress, dump, number, parts, shared, options):
    """Runs on a worker. Each attempt writes a file of its own, so that one that was lost cannot harm the next."""
    attempt = Path(shared) / f"part-{number}-{uuid.uuid4().hex[:12]}"
    attempt.with_suffix(".started").touch()
    out = attempt.with_suffix(".json")
    command = [pagepress, "estimate", "--quiet", "--partial", f"{number}/{parts}", "--out", str(out), *options, dump]
    run = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if run.returncode > 1:  # 1: done, but documents were skipped
        raise PartFailed(f"part {number}/{parts}: {run.stderr.strip()}")
    return str(out)


def make_parts(client, pagepress, dump, parts, shared, options, observe):
    """All parts, in whatever order they are done; calls `observe(done)` behind each. A lost worker's are made again."""
    run = uuid.uuid4().hex[:8]
    futures = [
        client.submit(make_part, pagepress, dump, number, parts, shared, options, key=f"part-{number}-{run}")
        for number in range(1, parts + 1)
    ]
    reports = []
    for future in as_completed(futures):
        reports.append(future.result())
        future.release()  # its file is there: it need not be made again where its worker is lost later
        observe(len(reports))
    return reports


def merge(pagepress, reports, out):
    """One report of all parts; the exit code is pagepress's own."""
    command = [pagepress, "merge", "--output", "json", "--out", out, *reports]
    return subprocess.run(command, check=False).returncode


class Progress:
    """One line on standard error, written anew behind each part."""

    def __init__(self, parts):
        self.parts, self.began = parts, time.monotonic()

    def __call__(self, done):
        left = (time.monotonic() - self.began) / done * (self.parts - done)
        end = "\n" if done == self.parts or not sys.stderr.isatty() else "\r"
        print(f"{done} of {self.parts} parts, about {left:.0f} s left   ", end=end, file=sys.stderr, flush=True)


def connect(arguments):
    if arguments.scheduler:
        return Client(arguments.scheduler)
    # One task a worker: pagepress has threads of its own.
    return Client(LocalCluster(n_workers=arguments.workers, threads_per_worker=1, dashboard_address=None))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dump", help="BSON file that all workers see under this path")
    parser.add_argument("options", nargs="*", help="options of `pagepress estimate`, behind `--`")
    parser.add_argument("--out", required=True, help="file for the merged report")
    parser.add_argument("--parts", type=int, default=16, help="parts; some for each worker, so that a loss is small")
    parser.add_argument("--scheduler", help="address of a running scheduler")
    parser.add_argument("--workers", type=int, default=2, help="without --scheduler: processes on this machine")
    parser.add_argument("--shared", help="folder for the parts that all workers see; by default a new one here")
    parser.add_argument("--pagepress", default="pagepress", help="the program, as workers find it")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.shared) as shared, connect(arguments) as client:
        dump = os.path.abspath(arguments.dump)
        progress = Progress(arguments.parts)
        options = arguments.options
        try:
            reports = make_parts(client, arguments.pagepress, dump, arguments.parts, shared, options, progress)
        except PartFailed as failed:
            print(failed, file=sys.stderr)
            return 2
        return merge(arguments.pagepress, reports, arguments.out)


if __name__ == "__main__":
    sys.exit(main())
