#!/usr/bin/env python3
"""Two workers, one of which is killed half-way: the merged report is that of a run over the whole.

    test.py PAGEPRESS       (examples/distributed/test makes the environment)
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from distributed import Client, LocalCluster

import estimate

PARTS = 8
OPTIONS = ["--no-timing", "--memory-page-max", "256K", "--codec", "none,snappy,zlib:6", "--index", '{"sku":1}']


def report_of(path):
    report = json.loads(Path(path).read_text())
    del report["timing"]
    return report


def without_wider_bands(merged, single):
    """The same report with the run's bands, where it has wider ones, and says so, that hold them."""
    wider = 0
    for mine, other in zip(merged["collections"][0]["storage"], single["collections"][0]["storage"]):
        if mine.pop("band_basis", None):
            wider += 1
            assert mine["storage_bytes_low"] <= other["storage_bytes_low"], (mine, other)
            assert mine["storage_bytes_high"] >= other["storage_bytes_high"], (mine, other)
            mine["storage_bytes_low"] = other["storage_bytes_low"]
            mine["storage_bytes_high"] = other["storage_bytes_high"]
    return wider


def busy_worker(client):
    """Process id of a worker that is making a part, if there is one."""
    pids = client.run(os.getpid)
    return next((pids[address] for address, tasks in client.processing().items() if tasks and address in pids), None)


def main():
    pagepress = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        dump, out, whole = (os.path.join(folder, name) for name in ("dump.bson", "merged.json", "whole.json"))
        subprocess.run([pagepress, "generate", "catalogue", "--documents", "40000", "--out", dump], check=True)
        subprocess.run([pagepress, "estimate", "-q", "-o", "json", "--out", whole, *OPTIONS, dump], check=True)
        shared = os.path.join(folder, "parts")
        os.mkdir(shared)
        killed = []
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:

            def observe(done):
                print(f"{done} of {PARTS} parts", flush=True)
                if done >= PARTS // 2 and not killed:
                    victim = busy_worker(client)
                    if victim:
                        os.kill(victim, signal.SIGKILL)
                        killed.append(victim)
                        print(f"killed worker {victim}", flush=True)

            reports = estimate.make_parts(client, pagepress, dump, PARTS, shared, OPTIONS, observe)
        assert killed, "no worker was busy half-way"
        started = len(list(Path(shared).glob("*.started")))
        assert started > PARTS, f"{started} attempts at {PARTS} parts: the lost one was not made again"
        assert estimate.merge(pagepress, reports, out) == 0
        merged, single = report_of(out), report_of(whole)
        wider = without_wider_bands(merged, single)
        assert json.dumps(merged) == json.dumps(single), "the merged report is not that of a run over the whole"
        rows = len(single["collections"][0]["storage"])
        print(f"{started} attempts at {PARTS} parts; {rows} rows equal, {wider} of them with a wider band")


if __name__ == "__main__":
    main()
