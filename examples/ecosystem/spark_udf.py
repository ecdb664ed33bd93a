"""Spark: a ufunc in a pandas_udf, which gets the columns as pandas Series."""

from __future__ import annotations

import os
import sys

import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql.functions import pandas_udf
from pyspark.sql.types import DoubleType

import numpy_plugin as npp


@npp.vectorize(["float64(float64, float64)"])
def hypotenuse(x: float, y: float) -> float:
    """Length of the hypotenuse."""
    return (x * x + y * y) ** 0.5


@pandas_udf(DoubleType())
def length(x: pd.Series, y: pd.Series) -> pd.Series:
    """Return the lengths for a batch of rows; the ufunc travels with this function."""
    return hypotenuse(x, y)


def main() -> None:
    """Run a query in two local workers."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # workers have what this process has
    spark = (
        SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    )
    rows = spark.createDataFrame([(3.0, 4.0), (5.0, 12.0), (8.0, None)], "x double, y double")
    found = rows.select(length("x", "y").alias("length")).toPandas()["length"].tolist()
    spark.stop()
    assert found[:2] == [5.0, 13.0] and pd.isna(found[2]), found
    print(found)


if __name__ == "__main__":
    main()
