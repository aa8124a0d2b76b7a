"""What is fuzzed: every reader and the scorer. A target takes a source of chance and an empty folder."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import random
import tarfile
import time
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec

from beirkit.configs.load import read_config
from beirkit.configs.schema import DatasetConfig, RetrieverConfig, SuiteConfig
from beirkit.configs.spec import parse_retriever
from beirkit.converters.catalog import convert, parse_settings
from beirkit.corpora.check import check_folder
from beirkit.corpora.collection import Collection
from beirkit.corpora.files import lines, open_bytes
from beirkit.corpora.folder import folder_content_ids, open_folder, write_folder
from beirkit.corpora.manifest import read_manifest, verify_manifest
from beirkit.corpora.qrels import read_qrels
from beirkit.corpora.qrels_tools import parse_grades
from beirkit.corpora.qrels_where import parse_where
from beirkit.corpora.records import Judgment
from beirkit.corpora.run_files import read_run
from beirkit.corpora.stats import folder_stats
from beirkit.evaluate import evaluate
from beirkit.evaluate.measures import parse_measures
from beirkit.evaluate.score_files import read_scores, write_scores
from tests.fuzz.mutations import mutated
from tests.fuzz.seeds import (
    CONDITIONS,
    CORPUS,
    GRADES,
    IDS,
    JSON_QRELS,
    MEASURES,
    ODD_NAMES,
    QUERIES,
    ROWS,
    RUN,
    RUN_LINES,
    SCORES,
    TABLE,
    TOKENS_OF_CONDITIONS,
    TREC_QRELS,
    VALUES,
)
from tests.fuzz.sources import sources

Target = Callable[[random.Random, Path], object]
CONFIGS: dict[type[Any], str] = {
    DatasetConfig: "datasets",
    RetrieverConfig: "retrievers",
    SuiteConfig: "suites",
}


def used(collection: Collection) -> None:
    """Read all of a collection."""
    for _ in (*collection.documents(), *collection.queries()):
        pass
    for split in collection.splits:
        for _ in collection.judgments(split):
            pass


def a_folder(draw: random.Random, folder: Path, spoiled: Iterable[str]) -> Path:
    """A BEIR folder some of whose files are mutated."""
    files = {
        "corpus.jsonl": CORPUS,
        "queries.jsonl": QUERIES,
        "qrels/test.tsv": TABLE,
        "qrels/dev.tsv": TREC_QRELS,
    }
    (folder / "qrels").mkdir()
    for name, content in files.items():
        data = mutated(draw, [content]) if name in spoiled else content
        (folder / name).write_bytes(data)
    return folder


def documents(draw: random.Random, folder: Path) -> None:
    used(open_folder(a_folder(draw, folder, ["corpus.jsonl"]), repair=draw.random() < 0.3))


def queries(draw: random.Random, folder: Path) -> None:
    used(open_folder(a_folder(draw, folder, ["queries.jsonl"]), repair=draw.random() < 0.3))


def check(draw: random.Random, folder: Path) -> None:
    """The linter reads every folder: it never fails, whatever it finds."""
    names = ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv", "qrels/dev.tsv"]
    check_folder(a_folder(draw, folder, draw.sample(names, draw.randrange(1, 4))))


def stats(draw: random.Random, folder: Path) -> None:
    folder_stats(a_folder(draw, folder, draw.choice((["corpus.jsonl"], ["qrels/test.tsv"]))))


def rewritten(draw: random.Random, folder: Path) -> None:
    """What can be read can be written, and has the same content then."""
    (folder / "raw").mkdir()
    collection = open_folder(a_folder(draw, folder / "raw", ["corpus.jsonl", "queries.jsonl"]))
    manifest = write_folder(collection, folder / "out", ascii=draw.random() < 0.5)
    assert folder_content_ids(folder / "out") == manifest.content_ids


def qrels(draw: random.Random, folder: Path) -> None:
    name, seeds = draw.choice(
        [
            ("a.tsv", [TABLE]),
            ("a.txt", [TREC_QRELS, TABLE]),
            ("a.json", [JSON_QRELS]),
            ("a.tsv", [b"q\td\nq\te\n"]),
        ]
    )
    (folder / name).write_bytes(mutated(draw, seeds))
    read_qrels(folder / name, default_relevance=draw.choice((None, None, 1)))


def run_trec(draw: random.Random, folder: Path) -> None:
    (folder / "run.trec").write_bytes(mutated(draw, [RUN]) * draw.choice((1, 1, 1, 300)))
    read_run(folder / "run.trec", strict=draw.random() < 0.2).ordered()


def run_json(draw: random.Random, folder: Path) -> None:
    name, seed = draw.choice([("r.jsonl", RUN_LINES), ("r.json", b'{"q1": {"d1": 1.5, "d2": 1}, "q2": {}}')])
    (folder / name).write_bytes(mutated(draw, [seed]))
    read_run(folder / name).ordered("float32")


def manifests(draw: random.Random, folder: Path) -> None:
    (folder / "in").mkdir()
    a_folder(draw, folder / "in", [])
    write_folder(open_folder(folder / "in"), folder / "out")
    path = folder / "out" / "manifest.json"
    path.write_bytes(mutated(draw, [path.read_bytes()]))
    folder_content_ids(folder / "out")
    read_manifest(folder / "out")
    verify_manifest(folder / "out")


def score_files(draw: random.Random, folder: Path) -> None:
    found = evaluate({"q1": {"d1": 1}, "q2": {"d1": 2}}, {"q1": {"d1": 1.0}}, ["nDCG@10", "AP"])
    write_scores(found, folder / "s.jsonl")
    path = folder / "s.jsonl"
    path.write_bytes(mutated(draw, [path.read_bytes()]))
    read_scores(path).means()


def tables(draw: random.Random, folder: Path) -> None:
    kind = draw.choice(list(ROWS))
    (folder / f"t.{kind}").write_bytes(mutated(draw, [ROWS[kind]]))
    options: dict[str, Any] = {"question": "question", "positive": "passage"}
    used(
        convert(
            "table",
            folder / f"t.{kind}",
            draw.choice((options, options, options, {**options, "grade": "grade"})),
        )
    )


def settings(draw: random.Random, folder: Path) -> None:
    text = mutated(draw, [b"query=question", b"header=false", b"delimiter=tab"]).decode(
        "utf-8", "surrogateescape"
    )
    parse_settings("table", [text])


def archives(draw: random.Random, folder: Path) -> None:
    content = {"a/corpus.jsonl": CORPUS, "a/queries.jsonl": QUERIES, "a/qrels/test.tsv": TABLE}
    out = io.BytesIO()
    kind = draw.choice(["zip", "stored", "tar", "gz", "bz2"])
    if kind in ("zip", "stored"):
        method = zipfile.ZIP_DEFLATED if kind == "zip" else zipfile.ZIP_STORED
        with zipfile.ZipFile(out, "w", method) as packed:
            for name, data in content.items():
                packed.writestr(zipfile.ZipInfo(name), data)
    else:
        form = draw.choice([tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT])
        with tarfile.open(fileobj=out, mode="w", format=form) as packed_tar:
            for name, data in content.items():
                info = tarfile.TarInfo(name if draw.random() < 0.7 else "n" * 150 + name)
                info.size = len(data)
                packed_tar.addfile(info, io.BytesIO(data))
    whole = out.getvalue()
    if kind in ("gz", "bz2") and draw.random() < 0.5:  # damage below the compression
        whole, kind = mutated(draw, [whole]), f"sound {kind}"
    packs: dict[str, Callable[[bytes], bytes]] = {"gz": gzip.compress, "bz2": bz2.compress}
    whole = packs.get(kind.removeprefix("sound "), bytes)(whole)
    path = folder / draw.choice(["data", "data", "data.zip", "data.tar.gz"])
    path.write_bytes(whole if kind.startswith("sound") else mutated(draw, [whole]))
    used(convert("beir", path, {}))


def compressed(draw: random.Random, folder: Path) -> None:
    import zstandard

    packs: list[Callable[[bytes], bytes]] = [gzip.compress, bz2.compress, zstandard.compress]
    path = folder / draw.choice(["a", "a.gz", "a.bz2", "a.zst"])
    path.write_bytes(mutated(draw, [pack(RUN * 50) for pack in packs]))
    if draw.random() < 0.5:
        with open_bytes(path) as stream:
            stream.read()
    else:
        for _ in lines(path):
            pass


def parquet(draw: random.Random, folder: Path) -> None:
    """Judgments and runs in columns of every type, sound or damaged."""
    import pyarrow
    from pyarrow import parquet as files

    length = draw.randrange(4)

    def column(usual: list[Any]) -> Any:
        values = [draw.choice(usual) for _ in range(length)]
        if draw.random() < 0.1:
            values = [draw.choice(VALUES)] * length
        made = pyarrow.array(values)
        return made.dictionary_encode() if draw.random() < 0.2 and made.type == "string" else made

    columns = {
        draw.choice(("q_id",) * 20 + ODD_NAMES): column(["q1", "q2"]),
        draw.choice(("doc_id",) * 20 + ODD_NAMES): column(["d1", "d2", "d\u00e9"]),
        draw.choice(("score",) * 20 + ODD_NAMES): column(draw.choice(([0, 1, 2], [0.5, 1.5, float("nan")]))),
    }
    out = io.BytesIO()
    files.write_table(
        pyarrow.table(columns), out, compression=draw.choice(("none", "snappy", "zstd", "gzip"))
    )
    data = out.getvalue()
    path = folder / "f.parquet"
    path.write_bytes(mutated(draw, [data]) if draw.random() < 0.5 else data)
    if draw.random() < 0.5:
        read_qrels(path)
    else:
        read_run(path).ordered()


def yaml_aliases(draw: random.Random, folder: Path) -> None:
    """Anchors, aliases and merge keys: a few lines may stand for billions of values, or for themselves."""
    names, texts = ["a"], ["a: &a " + draw.choice(("x", "[x, y]", "{k: v}", "{kind: bm25}", "[]"))]
    for number in range(draw.randrange(1, 14)):
        name = f"n{number}"
        uses = [f"*{draw.choice(names[-2:])}" for _ in range(draw.randrange(1, 12))]
        if draw.random() < 0.1:
            uses.append(f"*{name}")
        form = draw.choice(("[{}]", "[{}]", "{{<<: [{}]}}", "{{k: [{}], j: 1}}"))
        texts.append(f"{name}: &{name} " + form.format(", ".join(uses)))
        names.append(name)
    text = "name: x\nkind: bm25\noptions:\n" + "".join(f"  {line}\n" for line in texts)
    text += draw.choice(("", "", f"<<: *{names[-1]}\n"))
    if draw.random() < 0.3:
        text = mutated(draw, [text.encode()]).decode("utf-8", "replace")
    (folder / "c.yaml").write_text(text, encoding="utf-8")
    config = read_config(folder / "c.yaml", RetrieverConfig)
    assert len(msgspec.json.encode(config, enc_hook=str)) < 1 << 24


def conditions(draw: random.Random, folder: Path) -> None:
    text = mutated(draw, CONDITIONS, TOKENS_OF_CONDITIONS).decode("utf-8", "surrogateescape")
    holds = parse_where(text)
    for judgment in (Judgment("q1", "d1", 1), Judgment("", "\u00e9", -1), Judgment("31", "web-7", 2)):
        assert holds(judgment) in (True, False)


def grade_maps(draw: random.Random, folder: Path) -> None:
    text = mutated(draw, [b"3=2,2=1,1=drop", b"1=0", b" -1 = 0 , 2=drop"]).decode("utf-8", "surrogateescape")
    assert all(new is None or abs(new) <= 1 << 31 for new in parse_grades(text).values())


def config_files(draw: random.Random, folder: Path) -> None:
    shape = draw.choice(list(CONFIGS))
    kept = Path(__file__).parents[2] / "configs" / CONFIGS[shape]
    (folder / "c.yaml").write_bytes(
        mutated(draw, [path.read_bytes() for path in sorted(kept.glob("*.yaml"))])
    )
    read_config(folder / "c.yaml", shape)


def measures(draw: random.Random, folder: Path) -> None:
    text = mutated(draw, [name.encode() for name in MEASURES]).decode("utf-8", "surrogateescape")
    for measure in parse_measures(text):
        assert parse_measures(str(measure)) == (measure,), measure


def retrievers(draw: random.Random, folder: Path) -> None:
    seeds = [b"bm25", b"bm25:k1=0.9,b=0.4", b"minilm", b"rank-bm25:variant=okapi", b"beir-dres:model=x"]
    parse_retriever(mutated(draw, seeds).decode("utf-8", "surrogateescape"))


def scorer(draw: random.Random, folder: Path) -> None:
    odd = draw.choice((0.0, 0.0, 0.0, 0.01, 0.1))

    def pick(values: list[Any], usual: int) -> Any:
        return draw.choice(values) if draw.random() < odd else draw.choice(values[:usual])

    judged = {
        pick(IDS, 2): {pick(IDS, 8): pick(GRADES, 10) for _ in range(draw.randrange(odd == 0, 6))}
        for _ in range(draw.randrange(1, 4))
    }
    found = {
        pick(IDS, 3): {pick(IDS, 8): pick(SCORES, 10) for _ in range(draw.randrange(7))}
        for _ in range(draw.randrange(1, 4))
    }
    asked = []
    for _ in range(draw.randrange(1, 4)):
        name = draw.choice(MEASURES)
        if draw.random() < 0.3:
            cut = draw.choice(
                (0, 1, 2, 5, 1000, 2**31 - 1, 2**31, 2**32 + 1, 2**64, -1, "1e3", "0.5", "007", "")
            )
            name = f"{name.split('@')[0]}@{cut}"
        asked.append(name)
    scores = evaluate(
        judged,
        found,
        asked,
        draw.choice(("beirkit", "beir", "trec_eval", "mteb")),
        self_match_ids=draw.choice((None, set(), {"q1"})),
        depth=draw.choice((None, None, 1, 2, 1000)),
        strict=draw.random() < 0.2,
    )
    scores.means()
    scores.per_query()


TARGETS: dict[str, Target] = {
    target.__name__: target
    for target in (
        *(
            documents,
            queries,
            qrels,
            run_trec,
            run_json,
            manifests,
            score_files,
            tables,
            archives,
            compressed,
        ),
        *(sources, parquet, yaml_aliases, conditions, grade_maps),
        *(config_files, measures, retrievers, settings, check, stats, rewritten, scorer),
    )
}


def broken_error(draw: random.Random, folder: Path) -> None:
    """For the test of the fuzzer: an error that is not ours."""
    if draw.random() < 0.5:
        raise KeyError(folder.name)


def broken_crash(draw: random.Random, folder: Path) -> None:
    """For the test of the fuzzer: the death of the interpreter."""
    if draw.random() < 0.2:
        os.abort()


def broken_hang(draw: random.Random, folder: Path) -> None:
    """For the test of the fuzzer: a call that never returns."""
    if draw.random() < 0.2:
        time.sleep(3600)


BROKEN: dict[str, Target] = {target.__name__: target for target in (broken_error, broken_crash, broken_hang)}
