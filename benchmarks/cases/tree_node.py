"""Backward of a balanced tree of a million nodes: 2**19 leaves, added in pairs. The time of one node."""

import time

LEAVES = 2**19


def measure(torch):
    leaves = [torch.tensor(1.0, requires_grad=True) for _ in range(LEAVES)]
    best = float("inf")
    for _ in range(3):
        level = leaves
        while len(level) > 1:
            level = [a + b for a, b in zip(level[::2], level[1::2], strict=True)]
        start = time.perf_counter()
        level[0].backward()
        best = min(best, time.perf_counter() - start)
        for leaf in leaves:
            leaf.grad = None
    return best / (2 * LEAVES - 1)
