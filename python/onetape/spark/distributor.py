"""Training on the executors of Apache Spark."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from typing import Any

from onetape.distributed.run import free_port


def _meet(context: Any) -> dict[str, object]:
    """What the tasks of a barrier stage tell each other: who they are, and where rank 0 is."""
    rank = context.partitionId()
    hosts = [info.address.partition(":")[0] for info in context.getTaskInfos()]
    ports = context.allGather(str(free_port()))  # free now, which is as good as it gets
    return {
        "RANK": rank,
        "WORLD_SIZE": len(hosts),
        "LOCAL_RANK": hosts[:rank].count(hosts[rank]),
        "LOCAL_WORLD_SIZE": hosts.count(hosts[rank]),
        "MASTER_ADDR": hosts[0],
        "MASTER_PORT": ports[0],
    }


class Distributor:
    """Runs a function on executors of Spark at the same time, as ranks of a group that it only has to begin::

        def train(steps):
            dist.init_process_group("gloo")
            ...
            return model.state_dict()

        state = Distributor(num_processes=4).run(train, 100)

    All begin again if one fails, up to max_restarts times, so the function should go on from its last checkpoint.

    Args:
        num_processes: how many; Spark must have as many free slots
        spark: the session; the active one if None
        max_restarts: how often all begin again
    """

    def __init__(self, num_processes: int = 1, spark: Any = None, max_restarts: int = 0) -> None:
        if num_processes < 1:
            raise ValueError(f"num_processes has to be a positive integer, but is {num_processes}")
        self.num_processes = num_processes
        self.max_restarts = max_restarts
        self._spark = spark

    def _session(self) -> Any:
        from pyspark.sql import SparkSession

        session = self._spark or SparkSession.getActiveSession()
        if session is None:
            raise RuntimeError("An active SparkSession is required for the distributor.")
        return session

    def run(self, train: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Calls the function with the arguments on every executor; what it returned on rank 0.

        Functions, arguments and results are pickled. Raises what Spark raises when a task fails.
        """
        if not callable(train):
            raise ValueError("run: the first argument must be a function")
        context = self._session().sparkContext
        token = os.environ.get("ONETAPE_STORE_TOKEN", secrets.token_hex(16))

        def task(_: Iterator[int]) -> Iterator[Any]:
            from pyspark import BarrierTaskContext

            barrier = BarrierTaskContext.get()
            own = {**_meet(barrier), "ONETAPE_STORE_TOKEN": token}
            before = {name: os.environ.get(name) for name in own}
            os.environ.update({name: str(value) for name, value in own.items()})
            try:
                result = train(*args, **kwargs)
            finally:
                _leave(before)
            barrier.barrier()  # rank 0 keeps the store until all are done
            return iter([result] if own["RANK"] == 0 else [])

        def _leave(before: dict[str, str | None]) -> None:
            from onetape import distributed

            if distributed.is_initialized():
                distributed.destroy_process_group()
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value

        # Spark itself cannot repeat the last stage of a job where that is a barrier stage.
        for attempt in range(self.max_restarts + 1):
            numbers = context.parallelize(range(self.num_processes), self.num_processes)
            try:
                (result,) = numbers.barrier().mapPartitions(task).collect()
                break
            except Exception:
                if attempt == self.max_restarts:
                    raise
        return result
