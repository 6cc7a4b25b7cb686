"""Runs a training function on the executors of Apache Spark, one process of a group each.

Needs PySpark, which is not installed along with onetape.
"""

from onetape.spark.distributor import Distributor as Distributor

__all__ = ["Distributor"]
