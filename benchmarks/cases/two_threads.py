"""Backward passes a second of two threads with graphs of their own, over those of one thread."""

import threading
import time

PASSES = 50
ROUNDS = 40


def measure(torch):
    factor = torch.tensor(1.0001)

    def graph():
        y = torch.tensor(1.0, requires_grad=True)
        for _ in range(1000):
            y = y * factor
        return y

    def passes(y):
        for _ in range(PASSES):
            y.backward(retain_graph=True)

    def alone(y):
        start = time.perf_counter()
        passes(y)
        return time.perf_counter() - start

    def together(graphs):
        ready = threading.Barrier(len(graphs) + 1)

        def work(y):
            ready.wait()
            passes(y)
            ready.wait()

        threads = [threading.Thread(target=work, args=(y,)) for y in graphs]
        for thread in threads:
            thread.start()
        ready.wait()
        start = time.perf_counter()
        ready.wait()
        seconds = time.perf_counter() - start
        for thread in threads:
            thread.join()
        return seconds

    graphs = [graph(), graph()]
    one = min(alone(graphs[0]) for _ in range(ROUNDS))
    two = min(together(graphs) for _ in range(ROUNDS))
    return len(graphs) * one / two
