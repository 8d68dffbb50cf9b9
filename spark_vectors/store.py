"""Where a set of vectors lives: typed Parquet tables and a manifest under any Hadoop path."""

import json
import os
import uuid
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
from pyarrow import fs
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from hdl.contract import CONTRACT_VERSION
from spark_vectors.errors import JobError
from spark_vectors.parameters import VectorParameters
from spark_vectors.schema import SCHEMA_VERSION, TABLES

__all__ = ["MANIFEST", "Store", "absolute", "put_file", "spark_schema"]

MANIFEST = "manifest.json"
_FORMAT = "x2cbbr-vectors"
_RECORDS_PER_FILE = 20_000
_ROWS_A_SHARE = 50_000
"""Rows of all kinds that are written by the same few tasks."""
_KINDS_AT_ONCE = 2


def spark_schema(schema: pa.Schema) -> StructType:
    """The Spark form of an Arrow schema."""
    return from_arrow_schema(schema)


def absolute(path: str) -> str:
    """The path with its scheme, or an absolute local path."""
    return path.rstrip("/") if "://" in path or path.startswith("file:") else os.path.abspath(path)


def put_file(root: str, name: str, data: bytes) -> None:
    """Writes a file from any task; it appears whole or not at all, and a retried task may write it again."""
    system, base = fs.FileSystem.from_uri(root)
    target = f"{base}/{name}"
    partial = f"{target}.{uuid.uuid4().hex}.part"
    system.create_dir(os.path.dirname(target), recursive=True)
    with system.open_output_stream(partial) as stream:
        stream.write(data)
    system.move(partial, target)


class Store:
    """A set of vectors under ``root``; tables are partitioned by kind, in files of bounded size."""

    def __init__(self, spark: SparkSession, root: str) -> None:
        self.spark = spark
        self.root = absolute(root)
        self._jvm = spark._jvm
        self._path = self._jvm.org.apache.hadoop.fs.Path(self.root)
        try:
            self._files = self._path.getFileSystem(spark._jsc.hadoopConfiguration())
        except Py4JJavaError as error:
            raise JobError(f"{root} must be on a file system that Spark knows: {_cause(error)}", hint="check the path's scheme") from None

    def check_writable(self) -> None:
        """Raises :class:`JobError` unless files can be written there."""
        try:
            self._files.mkdirs(self._path)
            self.write_text(".probe", "")
            self._files.delete(self._at(".probe"), False)
        except Py4JJavaError as error:
            raise JobError(
                f"{self.root} must be writable: {_cause(error)}", hint="choose another --output or change its permissions"
            ) from None

    def _at(self, name: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(self._path, name)

    def write_text(self, name: str, text: str) -> None:
        """Writes a small file, whole."""
        stream = self._files.create(self._at(name), True)
        try:
            stream.write(bytearray(text.encode()))
        finally:
            stream.close()

    def read_text(self, name: str) -> str:
        """Reads a small file."""
        stream = self._files.open(self._at(name))
        try:
            return str(self._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
        finally:
            stream.close()

    def remove(self, name: str) -> None:
        """Removes a file or a folder if it is there."""
        self._files.delete(self._at(name), True)

    def write_table(self, name: str, table: DataFrame, *, rows: int = 0) -> None:
        """Replaces a table; its rows, about so many, are first brought together by kind, so that it becomes few files."""
        shares = 1 + rows // _ROWS_A_SHARE
        keys = ["kind"] if shares == 1 else ["kind", F.pmod("row", F.lit(shares))]
        writer = table.repartition(_KINDS_AT_ONCE * shares, *keys).write.mode("overwrite").option("maxRecordsPerFile", _RECORDS_PER_FILE)
        writer.partitionBy("kind").parquet(f"{self.root}/{name}")

    def read_table(self, name: str, schema: pa.Schema | None = None) -> DataFrame:
        """A table of the set with its typed columns."""
        return self.spark.read.schema(spark_schema(schema or TABLES[name])).parquet(f"{self.root}/{name}")

    def summary(self, name: str) -> dict[str, Any]:
        """Rows in all and by kind, and a content hash that depends on no order and no partitioning."""
        hashes = (F.sum(F.col("hash").cast("decimal(38,0)")).alias("sum"), F.bit_xor("hash").alias("xor"))
        kinds = self.read_table(name).groupBy("kind").agg(F.count("*").alias("rows"), *hashes).orderBy("kind").collect()
        mask = (1 << 64) - 1
        both = 0
        for row in kinds:
            both ^= int(row["xor"])
        digest = f"{sum(int(row['sum']) for row in kinds) & mask:016x}{both & mask:016x}"
        return {"rows": sum(row["rows"] for row in kinds), "hash": digest, "kinds": {row["kind"]: row["rows"] for row in kinds}}

    def write_manifest(self, parameters: VectorParameters, contents: dict[str, Any]) -> dict[str, Any]:
        """Writes the manifest last: a set without one is not whole."""
        manifest = {
            "format": _FORMAT,
            "schema": SCHEMA_VERSION,
            "contract": CONTRACT_VERSION,
            "parameters": parameters.as_dict(),
            **contents,
        }
        self.write_text(MANIFEST, json.dumps(manifest, indent=2, sort_keys=True) + "\n")
        return manifest

    def manifest(self) -> dict[str, Any]:
        """The manifest of a whole set of this version; raises :class:`JobError` otherwise."""
        hint = "make the vectors again with `make vectors`"
        try:
            values = json.loads(self.read_text(MANIFEST))
        except Py4JJavaError:
            raise JobError(f"{self.root} must hold a whole set of vectors, but has no {MANIFEST}", hint=hint) from None
        except ValueError:
            raise JobError(f"{self.root}/{MANIFEST} must be JSON, and is not", hint=hint) from None
        for name, wanted in (("format", _FORMAT), ("schema", SCHEMA_VERSION), ("contract", CONTRACT_VERSION)):
            if values.get(name) != wanted:
                raise JobError(f"the {name} version of {self.root} must be {wanted}, not {values.get(name)!r}", hint=hint)
        return dict(values)

    def check_tables(self, manifest: dict[str, Any], *names: str) -> None:
        """Raises :class:`JobError` unless the tables hold the rows and the contents that the manifest says."""
        for name in names:
            try:
                found, wanted = self.summary(name), manifest["tables"][name]
            except (PySparkException, Py4JJavaError):
                raise JobError(
                    f"the table {name} of {self.root} must be whole, and Spark cannot read it",
                    hint="make the vectors again with `make vectors`",
                ) from None
            if found != wanted:
                what = "rows" if found["rows"] != wanted["rows"] else "hash"
                raise JobError(
                    f"the {what} of the table {name} must be {wanted[what]} as the manifest says, not {found[what]}",
                    hint="make the vectors again with `make vectors`",
                )


def _cause(error: Py4JJavaError) -> str:
    return str(error.java_exception.getMessage() or error.java_exception.getClass().getSimpleName()).splitlines()[0]
