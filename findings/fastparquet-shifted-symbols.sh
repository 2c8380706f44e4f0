#!/usr/bin/env bash
# fastparquet 2026.9.0 with pandas 3.0.6: with has_nulls="infer", a column of symbols says that no value is missing, but its
# page still begins with definition levels. pyarrow 25.0.1 and DuckDB 1.5.6 read these bytes as the first symbol, so each
# price stands beside the symbol of the row above, without an error. fastparquet itself reads the file right.
# Days of numpy (datetime64[D], which pandas 3 keeps in seconds) are divided by 1,000 and called milliseconds: pyarrow and
# DuckDB read the first half-hour of 1970, and fastparquet cannot read its own file.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip install -q --disable-pip-version-check fastparquet==2026.9.0 pandas==3.0.6 pyarrow==25.0.1 duckdb==1.5.6 2>/dev/null
cat >prices.py <<'END'
import sys
from importlib.metadata import version

import duckdb, fastparquet, numpy, pandas
import pyarrow.parquet

print(*(f"{name} {version(name)}" for name in ("fastparquet", "pandas", "pyarrow", "duckdb")))


def expect(title, found, known):
    print(f"{title}\n{found}\n")
    if found != known:
        sys.exit(f"CHANGED, before it was:\n{known}")


rows = lambda file: duckdb.sql(f"select * from '{file}'").fetchall()
closes = [185.64, 370.87, 48.17]
frame = pandas.DataFrame({"symbol": ["AAPL", "MSFT", "NVDA"], "close": closes})
fastparquet.write("prices.parquet", frame, has_nulls="infer")
shifted = ["\x06\x01", "AAPL", "MSFT"]
expect(
    "Symbols as fastparquet reads them",
    fastparquet.ParquetFile("prices.parquet").to_pandas()["symbol"].tolist(),
    ["AAPL", "MSFT", "NVDA"],
)
expect(
    "Symbols as pyarrow reads them",
    pyarrow.parquet.read_table("prices.parquet")["symbol"].to_pylist(),
    shifted,
)
expect("Rows as DuckDB reads them", rows("prices.parquet"), list(zip(shifted, closes)))

days = numpy.array(["2024-01-02", "2024-01-03"], dtype="datetime64[D]")
fastparquet.write("days.parquet", pandas.DataFrame({"date": days}))
expect(
    "Days as pyarrow reads them",
    [str(day) for day in pyarrow.parquet.read_table("days.parquet")["date"].to_pylist()],
    ["1970-01-01 00:28:24.153000", "1970-01-01 00:28:24.240000"],
)
expect(
    "Days as DuckDB reads them",
    [str(day) for (day,) in rows("days.parquet")],
    ["1970-01-01 00:28:24.153000", "1970-01-01 00:28:24.240000"],
)
try:
    fastparquet.ParquetFile("days.parquet").to_pandas()
    said = "no error"
except ValueError as error:
    said = str(error)
expect("Days as fastparquet reads them", said, "Cannot losslessly cast '1704153 ms' to s")
END
python/bin/python prices.py
