"""Bytes of resident memory a recorded multiplication costs: its node, what it saves, and its 0-dim result."""

import os


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def measure(torch):
    count = 300_000
    y = torch.tensor(1.0, requires_grad=True)
    factor = torch.tensor(1.0)
    before = resident()
    for _ in range(count):
        y = y * factor
    return (resident() - before) / count
