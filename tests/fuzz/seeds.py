"""What the fuzzer begins from: sound content to be mutated, and values of every kind to draw from."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

import numpy as np

CORPUS = (
    b'{"_id": "d1", "title": "One", "text": "first text", "metadata": {"url": "u"}}\n'
    b'{"_id": "d2", "title": null, "text": "caf\\u00e9 \xc3\xa9"}\n{"_id": 3, "text": "", "metadata": {}}\n'
)
QUERIES = (
    b'{"_id": "q1", "text": "what", "metadata": {}}\n{"_id": "q2", "text": "who", "n": [1, 2.5, null]}\n'
)
TABLE = b"query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\nq2\td1\t2\n"
TREC_QRELS = b"q1 0 d1 1\nq1 0 d2 -1\nq2 0 d1 2\n"
JSON_QRELS = b'{"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 2}}'
RUN = b"q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 1.5 tag\nq2 Q0 d1 1 -1e-3 tag\n" * 2
RUN_LINES = (
    b'{"query_id": "q1", "tag": "t", "results": [["d1", 2.5], ["d2", 1]]}\n'
    b'{"query_id": "q2", "results": []}\n'
)
ROWS = {
    "csv": b'question,passage,grade\nwhat,"one, ""two""",1\nwho,"a\nb",0\n',
    "tsv": b"question\tpassage\nwhat\tone\nwho\ttwo\n",
    "jsonl": b'{"question": "what", "passage": "one"}\n{"question": "who", "passage": ["a", "b"]}\n',
    "json": b'[{"question": "what", "passage": "one"}, {"question": "who", "passage": "two"}]',
}
VALUES: list[Any] = [
    *(
        None,
        True,
        1,
        -1,
        2**63 - 1,
        1.0,
        0.5,
        float("nan"),
        float("inf"),
        "",
        " ",
        "q 1",
        "\t",
        "\0",
        "1",
        b"q1",
    ),
    *(b"\xff", ["q1"], [], {"a": 1}, datetime.date(2026, 1, 1), decimal.Decimal("1.5"), "x" * 5000, "\u00e9"),
]
ODD_NAMES = ("query-id", "corpus-id", "relevance", "q_id", "doc_id", "x", "")
CONDITIONS = [
    *(b"grade >= 2", b"not (query in (31, '32') or doc matches 'web-*') and grade != 0"),
    *(b"doc not in ('a', \"b\")", b"grade = 1 and query = 31", b"doc not matches '[!a-c]?[]x]'"),
]
TOKENS_OF_CONDITIONS = [
    *(
        b"not ",
        b"(",
        b")",
        b"and ",
        b"or ",
        b"in ",
        b"matches ",
        b"grade",
        b"query",
        b"doc",
        b"'*'",
        b"'[a'",
        b"<=",
    ),
    *(b"(" * 60, b"not " * 60, b"or grade=1 " * 300, b"'" + b"*a" * 40 + b"'", b"'" + b"?" * 3000 + b"'"),
]
MEASURES = [
    *("nDCG@10", "AP", "AP@100", "RR@10", "R@5", "P@1", "Success@5", "Rprec", "Bpref", "infAP", "IPrec@0.1"),
    *(
        "ndcg_cut.5,10",
        "map_cut_10",
        "recip_rank",
        "nDCG(dcg='exp-log2')@10",
        "NumRet",
        "gm_map",
        "set_F",
        "hole@10",
    ),
    *(
        "P(rel=2)@5",
        "mrr@10",
        "recall_100",
        "iprec_at_recall_0.10",
        "NumQ",
        "Judged@10",
        "utility",
        "relstring",
    ),
]
IDS: list[Any] = [
    *(
        "q1",
        "q2",
        "d1",
        "d2",
        "1",
        "1.0",
        "",
        " ",
        "a b",
        "\t",
        "é",
        "e\u0301",
        "\0",
        "a\0b",
        "\ud800",
        "\udc00",
    ),
    *("\U0001f600", "x" * 70_000, "\u00a0", "\x85", "_", "-0", 1, None, b"q1", ("a",), 1.5),
]
GRADES: list[Any] = [
    *(0, 1, 1, 1, 2, 3, -1, -2, -7, 999, 1000, 1001, -1001, 2**30, 2**31, 2**63, 10**400, True, 1.5, 2.0),
    *(float("nan"), float("inf"), "1", None, np.int64(2), np.float32(1), np.array(1), [1]),
]
SCORES: list[Any] = [
    *(
        1.0,
        0.5,
        0.5,
        2,
        -1.0,
        0.0,
        -0.0,
        1e308,
        1e39,
        1e-320,
        float("nan"),
        float("inf"),
        10**400,
        True,
        "1",
        None,
    ),
    *(np.float32(0.1), np.float64(3), np.int32(1), np.array(1.0), [1.0]),
]
