"""What programs read: JSON as the contract has it, and CSV."""

from __future__ import annotations

import json

import pyarrow as pa
from cli_project import FAILED_RUN


def test_plan_document(invoke):
    document = json.loads(invoke("plan", "--json").stdout)
    assert document["epoch"] == 3
    assert document["tables"][0] == {
        "name": "revenue",
        "declared_mode": "auto",
        "mode": "DIFFERENTIAL",
        "reason": "12 of 4,000 rows changed",
        "location": "tables/revenue.sql:1:1",
        "pending_rows": {"shop.orders": 12, "customers_clean": 0},
        "upstream": ["shop.orders", "customers_clean"],
    }
    assert document["tables"][1]["pending_rows"] == {"revenue": None}


def test_run_document_is_all_there_is_on_stdout(invoke):
    assert json.loads(invoke("run", "--json").stdout) == {
        "run_id": "r1",
        "epoch": 4,
        "ok": True,
        "tables": [
            {
                "name": "revenue",
                "mode": "DIFFERENTIAL",
                "reason": "12 rows changed",
                "rows_inserted": 3,
                "rows_deleted": 2,
                "seconds": 0.412,
                "status": "ok",
            }
        ],
    }


def test_a_failed_run_adds_errors_to_the_document(invoke, project):
    project.run_report = FAILED_RUN
    result = invoke("run", "--json")
    document = json.loads(result.stdout)
    assert result.exit_code == 1
    assert [table.get("error") for table in document["tables"]] == ["division by zero", None]
    assert document["tables"][1]["mode"] is None
    assert document["sources"] == [{"name": "shop.gone", "status": "error", "error": "table is missing"}]


def test_status_document(invoke):
    document = json.loads(invoke("status", "--json").stdout)
    assert document["sources"][0] == {
        "name": "shop.orders",
        "cdc_mode": "trigger",
        "state": "STREAMING",
        "lag_bytes": 0,
        "pending_rows": 12,
    }
    assert set(document["tables"][0]) == {"name", "epoch", "mode", "rows", "last_refresh", "status"}


def test_show_writes_exact_values(invoke):
    rows = json.loads(invoke("show", "revenue", "--json").stdout)
    assert rows == [
        {"region": "EU, west", "revenue": "0.00", "at": "2024-05-01T00:00:00Z", "share": 0.5, "n": 1},
        {
            "region": "US",
            "revenue": "12345678901234567890.10",
            "at": "2024-05-01T10:00:00.000001Z",
            "share": "NaN",
            "n": 2**60,
        },
        {"region": None, "revenue": None, "at": None, "share": None, "n": None},
    ]


def test_show_of_an_empty_table_is_an_empty_array(invoke, project):
    project.result = project.result.slice(0, 0)
    assert json.loads(invoke("show", "revenue", "--json").stdout) == []


def test_show_writes_years_beyond_python_and_nested_values(invoke, project):
    project.result = pa.table(
        {
            "at": pa.array([253402300800000000 + 10**15], pa.timestamp("us")),
            "tags": [["a", None]],
            "raw": [b"\x00\xff"],
            "pair": [{"x": 1}],
        }
    )
    assert json.loads(invoke("show", "revenue", "--json").stdout) == [
        {"at": "10031-09-09T01:46:40", "tags": ["a", None], "raw": "00ff", "pair": {"x": 1}}
    ]


def test_csv_tells_null_from_an_empty_string(invoke, project):
    project.result = pa.table({"a": ["", None, 'say "x", y'], "b": [1.5, None, 2.0], "c": [True, None, False]})
    result = invoke("show", "revenue", "--csv")
    assert result.stdout == 'a,b,c\n"",1.5,true\n"say ""x"", y",2.0,false\n,,\n'


def test_history_verify_and_doctor_documents(invoke):
    assert json.loads(invoke("history", "--json").stdout) == [{"table": "revenue", "seconds": 0.5}]
    verified = json.loads(invoke("verify", "--json").stdout)
    assert verified["ok"] is True
    assert verified["tables"][0]["against"] == "mirrors"
    assert json.loads(invoke("doctor", "--json").stdout)["checks"][0]["name"] == "java"
