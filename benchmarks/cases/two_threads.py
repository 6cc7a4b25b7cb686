"""Backward passes a second of two threads with graphs of their own, over those of one thread."""

import threading
import time

PASSES = 50
ROUNDS = 40


def measure(torch):
    def graph():
        factor = torch.tensor(1.0001)
        y = torch.tensor(1.0, requires_grad=True)
        for _ in range(1000):
            y = y * factor
        return y

    def passes(y):
        """When they began and ended."""
        start = time.perf_counter()
        for _ in range(PASSES):
            y.backward(retain_graph=True)
        return start, time.perf_counter()

    def together(graphs):
        ready = threading.Barrier(len(graphs))
        times = []

        def work(y):
            ready.wait()
            times.append(passes(y))

        threads = [threading.Thread(target=work, args=(y,)) for y in graphs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return max(end for _, end in times) - min(start for start, _ in times)

    graphs = [graph(), graph()]
    alone = (passes(graphs[0]) for _ in range(ROUNDS))
    one = min(end - start for start, end in alone)
    two = min(together(graphs) for _ in range(ROUNDS))
    return len(graphs) * one / two
