"""Training on Spark's executors, in its real local-cluster mode. `make test-spark` runs this; `make test` does not."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

if not os.environ.get("ONETAPE_TEST_SPARK"):
    pytest.skip("run by make test-spark", allow_module_level=True)
pyspark = pytest.importorskip("pyspark")

ROOT = Path(__file__).resolve().parents[2]
MASTER = "local-cluster[2,1,1024]"
# PySpark leaves sockets to the collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def train(steps: int, fail_at: int = -1, folder: str = "") -> Any:
    import onetape as torch
    import onetape.distributed as dist
    from onetape import nn
    from onetape.nn.parallel import DistributedDataParallel

    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    layer = nn.Linear(6, 1)
    begin, saved = 0, Path(folder) / "state.pt"
    if folder and saved.exists():
        state = torch.load(str(saved))
        layer.load_state_dict(state["model"])
        begin = state["step"]
    model = DistributedDataParallel(layer)
    x = torch.randn(64, 6, generator=torch.Generator().manual_seed(1))
    y = x.sum(1, keepdim=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for step in range(begin, steps):
        optimizer.zero_grad()
        (model(x.chunk(world)[rank]) - y.chunk(world)[rank]).pow(2).mean().backward()
        optimizer.step()
        if folder and rank == 0:
            torch.save({"model": layer.state_dict(), "step": step + 1}, str(saved))
        dist.barrier()
        if step == fail_at and begin == 0 and rank == 1:
            raise RuntimeError("this executor fails")
    loss = (layer(x) - y).pow(2).mean().item()
    return {"loss": loss, "rank": rank, "world": world, "local": int(os.environ["LOCAL_RANK"])}


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Any:
    from pyspark import cloudpickle
    from pyspark.sql import SparkSession

    monkey = pytest.MonkeyPatch()
    monkey.chdir(tmp_path_factory.mktemp("spark"))  # where the executors work
    cloudpickle.register_pickle_by_value(__import__(__name__, fromlist=["train"]))
    path = f"{ROOT / 'python'}"
    builder = SparkSession.builder.master(MASTER).appName("onetape").config("spark.ui.enabled", "false")
    session = builder.config("spark.executorEnv.PYTHONPATH", path).getOrCreate()
    yield session
    session.stop()
    monkey.undo()


def test_training(spark: Any) -> None:
    from onetape.spark import Distributor

    two = Distributor(num_processes=2).run(train, 20)
    one = Distributor(num_processes=1, spark=spark).run(train, steps=20)
    assert two["world"] == 2 and two["rank"] == 0 and one["world"] == 1
    assert two["loss"] == pytest.approx(one["loss"], rel=1e-4) and two["loss"] < 1
    assert "RANK" not in os.environ


def test_an_executor_that_fails_goes_on_from_the_checkpoint(spark: Any, tmp_path: Path) -> None:
    from onetape.spark import Distributor

    whole = Distributor(num_processes=2).run(train, 10)
    again = Distributor(num_processes=2, max_restarts=1).run(train, 10, 4, str(tmp_path))
    assert again["loss"] == pytest.approx(whole["loss"], rel=1e-6)


def test_wrong_arguments(spark: Any) -> None:
    from onetape.spark import Distributor

    with pytest.raises(ValueError, match="num_processes has to be a positive integer"):
        Distributor(num_processes=0)
    with pytest.raises(ValueError, match="must be a function"):
        Distributor().run(3)  # type: ignore[arg-type]


def test_java(tmp_path: Path) -> None:
    jars = Path(pyspark.__file__).parent / "jars"
    ours = [ROOT / "build" / "spark" / "onetape-spark.jar", ROOT / "python" / "onetape" / "onetape.jar"]
    path = os.pathsep.join([*map(str, ours), f"{jars}/*"])
    source = ROOT / "java" / "spark" / "src" / "test" / "java" / "SparkTraining.java"
    subprocess.run(["javac", "-cp", path, "-d", str(tmp_path), str(source)], check=True)
    packages = ("java.nio", "sun.nio.ch", "java.lang", "java.lang.invoke", "java.util", "java.net")
    opens = [f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in packages]
    command = ["java", *opens, "-cp", os.pathsep.join([str(tmp_path), path]), "SparkTraining", MASTER]
    # Without the second, Spark looks for the folders of its own build.
    spark = {"SPARK_HOME": str(Path(pyspark.__file__).parent), "SPARK_SCALA_VERSION": "2.12"}
    done = subprocess.run(
        command, env={**os.environ, **spark}, cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-3000:]
    several, one = map(float, done.stdout.splitlines())
    assert several == pytest.approx(one, abs=1e-4) and several < 1
