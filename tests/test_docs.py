"""What the documentation says against what the code does."""

from __future__ import annotations

import ast
import importlib.util
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import msgspec
import pytest

from beirkit.cli.arguments import expand_lists
from beirkit.cli.main import build_parser, main
from beirkit.configs import load
from beirkit.configs.schema import DatasetConfig, RetrieverConfig, SuiteConfig
from beirkit.configs.spec import parse_retriever
from beirkit.conversion import format_of
from beirkit.converters import catalog as converters
from beirkit.corpora.exports import catalog as exports
from beirkit.corpora.mend_rules import RULES
from beirkit.evaluate.exports import catalog as submissions
from beirkit.evaluate.measures import Measure
from beirkit.retrievers import catalog as retrievers
from tests.house.tree import CHECKOUT, pyproject

PAGES = sorted([*CHECKOUT.glob("*.md"), *(CHECKOUT / "docs").rglob("*.md")])
NAMES = [str(page.relative_to(CHECKOUT)) for page in PAGES]

# Commands of the contract that scripts rely on; more may be added, none taken away.
CONTRACT = {
    "demo": (),
    "list": ("--json",),
    "fetch": ("--form", "--offline", "--dry-run", "--mirror", "--accept-changed", "--out", "--json"),
    "convert": ("--out", "--set"),
    "check": ("--json", "--strict", "--accept", "--write-accept", "--junit", "--deep", "--explain"),
    "stats": ("--json",),
    "qrels": ("--split", "--merge", "--where", "--grades", "--to", "--out", "--diff", "--json"),
    "export": ("--to", "--out", "--set", "--overwrite", "--json"),
    "validate": ("--as", "--recompute", "--hidden-qrels", "--json"),
    "submit": ("--dry-run", "--json"),
    "run": ("-d", "-r", "--out", "--split", "--protocol", "-m", "-k", "--sample", "--seed", "--json"),
    "score": ("-m", "--protocol", "--split", "--per-query", "--rescore", "--new-qrels", "--json"),
    "compare": ("--qrels", "--baseline", "-m", "--json"),
    "verify": ("--qrels", "--system", "--json"),
    "explain": ("--published", "--note", "--system", "-m", "--other-qrels", "--with", "--json"),
    "show": ("--query", "--next", "--previous", "--worst", "--disagree", "-d", "--json"),
    "leaderboard": ("--out", "--overwrite", "--suite", "-m", "--protocol", "--json"),
    "report": ("--out", "--no-text", "--queries", "--baseline", "-m", "--qrels", "--json"),
    "pool": ("--depth", "--by", "--limit", "--seed", "--out", "--import", "--merge", "--json"),
    "overlap": ("--column", "--ngram", "--near", "--documents", "--results", "--out", "--json"),
    "cite": ("--format",),
    "import": ("--as", "--of", "--split", "--name", "-k", "--out", "--json"),
    "replay": ("--qrels", "--scores-only", "--out", "--json"),
    "version": ("--json",),
}


@cache
def reference() -> ModuleType:
    """The script that writes the reference pages."""
    spec = importlib.util.spec_from_file_location("build_reference", CHECKOUT / "docs" / "build_reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def read(name: str) -> str:
    return (CHECKOUT / name).read_text(encoding="utf-8")


def blocks(name: str, *languages: str) -> list[str]:
    """The fenced code blocks of a page in one of these languages."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", read(name), re.MULTILINE | re.DOTALL)
    return [text for language, text in found if language in languages]


def command_lines(name: str, program: str) -> Iterator[list[str]]:
    """The words of every line of a page's shell blocks that calls a program, without the program."""
    for text in blocks(name, "bash"):
        for line in text.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
                del words[0]
            if words and words[0].endswith(program):
                yield words[1:]


def prose(name: str) -> str:
    """A page without its fenced blocks."""
    return re.sub(r"^```.*?^```$", "", read(name), flags=re.MULTILINE | re.DOTALL)


def anchors(name: str) -> set[str]:
    """The anchors that GitHub gives the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", prose(name), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", ["commands.md", "configuration.md"])
def test_reference_pages_are_up_to_date(name: str) -> None:
    assert read(f"docs/{name}") == reference().pages()[name], "run: make docs"


def test_every_code_has_a_current_page_and_no_other_is_there() -> None:
    pages = {name: text for name, text in reference().pages().items() if name.startswith("codes/")}
    assert {f"codes/{path.name}" for path in (CHECKOUT / "docs" / "codes").iterdir()} == set(pages)
    stale = [name for name, text in pages.items() if read(f"docs/{name}") != text]
    assert not stale, "run: make docs"


def test_the_command_contract_holds() -> None:
    commands = reference().subcommands(build_parser())
    for name, options in CONTRACT.items():
        assert name in commands
        have = {text for action in commands[name]._actions for text in action.option_strings}
        assert set(options) <= have, f"beirkit {name}"


def test_every_command_and_option_is_on_its_page() -> None:
    for name, parser in reference().subcommands(build_parser()).items():
        assert f"\n## beirkit {name}\n" in read("docs/commands.md")
        for action in reference().actions(parser):
            for spelling in action.option_strings:
                assert re.search(rf"[`, ]{re.escape(spelling)}[`, ]", read("docs/commands.md")), (
                    name,
                    spelling,
                )


def test_every_configuration_key_is_on_its_page() -> None:
    shapes: list[type[msgspec.Struct]] = [DatasetConfig, RetrieverConfig, SuiteConfig]
    shapes += [converters.get(name).Options for name in converters.names()]
    shapes += [retrievers.get(kind).Options for kind in retrievers.kinds()]
    shapes += [exports.get(name).Options for name in exports.names()]
    shapes += [submissions.get(name).Options for name in submissions.names()]
    keys = {field.encode_name for shape in shapes for field in msgspec.structs.fields(shape)}
    assert {key for key in keys if f"| `{key}` |" not in read("docs/configuration.md")} == set()


def test_every_rule_of_mending_is_on_its_page() -> None:
    page = read("docs/mending.md")
    for name, rule in RULES.items():
        row = next((line for line in page.splitlines() if line.startswith(f"| `{name}` |")), "")
        missing = [
            word for word in (*rule.codes, *(f"`{choice}`" for choice in rule.choices)) if word not in row
        ]
        assert row, name
        assert not missing, name


def test_an_option_without_a_docstring_line_is_refused() -> None:
    class Silent(msgspec.Struct):
        """Options.

        Attributes:
            said: with a word about it,
                on two lines.
        """

        said: int = 1
        unsaid: int = 2

    assert reference().documented(Silent) == {"said": "with a word about it, on two lines."}
    with pytest.raises(reference().UndocumentedError, match="unsaid has no line"):
        reference()._fields_table(Silent, reference().documented(Silent), where="here")


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_somewhere(name: str) -> None:
    text = re.sub(r"`[^`\n]*`", "", prose(name))
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        path = (CHECKOUT / name).parent / file if file else CHECKOUT / name
        if not path.exists() or (anchor and anchor not in anchors(str(path.resolve().relative_to(CHECKOUT)))):
            broken.append(target)
    assert not broken


@pytest.mark.parametrize("name", NAMES)
def test_commands_on_pages_are_commands(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    parser = build_parser()
    for words in command_lines(name, "beirkit"):
        try:
            args = parser.parse_args(expand_lists(words))
        except SystemExit as end:
            if end.code:
                pytest.fail(f"beirkit {shlex.join(words)}\n{capsys.readouterr().err}")
            continue
        for measure in getattr(args, "measures", None) or []:
            Measure.parse(measure)
        for retriever in getattr(args, "retrievers", None) or []:
            if not retriever.endswith(".yaml"):
                parse_retriever(retriever)
        source = getattr(args, "source", None)
        if source is not None and source not in load.names("datasets"):
            name_of_format = format_of(source)
            converters.check_options(name_of_format, converters.parse_settings(name_of_format, args.options))


@pytest.mark.parametrize("name", NAMES)
def test_make_targets_on_pages_exist(name: str) -> None:
    targets = set(re.findall(r"^([\w-]+):", read("Makefile"), re.MULTILINE))
    asked = {word for words in command_lines(name, "make") for word in words if "=" not in word}
    asked |= set(re.findall(r"`make ([\w-]+)`", read(name)))
    assert asked <= targets


@pytest.mark.parametrize("name", NAMES)
def test_python_on_pages_runs(name: str, tmp_path: Path) -> None:
    """Every Python block that reads no file of the reader's is run; of the others, the imports."""
    for text in blocks(name, "python"):
        tree = ast.parse(text)
        if "# your " in text:
            tree.body = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        done = subprocess.run(
            [sys.executable, "-P", "-c", ast.unparse(tree)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{text}\n{done.stderr}"


def test_the_readme_names_every_extra_it_needs() -> None:
    extras = set(pyproject()["project"]["optional-dependencies"])
    named = set(re.findall(r"beirkit\[([\w,]+)\]|\.\[([\w,]+)\]", read("README.md")))
    asked = {extra for pair in named for part in pair if part for extra in part.split(",")}
    assert "all" in asked
    assert asked <= extras


def test_every_page_is_reachable_from_the_readme() -> None:
    seen: set[Path] = set()
    todo = [CHECKOUT / "README.md"]
    while todo:
        page = todo.pop()
        if page in seen or page.suffix != ".md" or not page.is_file():
            continue
        seen.add(page)
        links = re.findall(r"\]\(([^)#\s]+\.md)[^)]*\)", page.read_text(encoding="utf-8"))
        todo += [(page.parent / link).resolve() for link in links if "://" not in link]
    assert {str(page.relative_to(CHECKOUT)) for page in PAGES if page not in seen} == set()


# What the commands of the pages below are tried on.
READERS_FILES = {
    "faq.csv": "question,answer\nHow do I reset it?,Hold the button.\nWhere is the bill?,Under Billing.\n",
    "judged.csv": "query,passage,label\nreset,Hold the button.,good\nreset,Under Billing.,bad\n",
    "triples.jsonl": '{"q": "reset", "pos": "Hold the button.", "neg": ["Under Billing."]}\n',
    "questions.csv": "qid,text\nq1,reset\n",
    "passages.csv": "pid,body\np1,Hold the button.\np2,Under Billing.\n",
    "labels.csv": "qid,pid,rating\nq1,p1,2\n",
    "qrels.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t1\n",
    "ids.txt": "q1\nq2\n",
    "graded.qrel": "q1 0 d1 3\nq1 0 d2 1\n",
    "squad/dev.json": '{"data": [{"paragraphs": [{"context": "a", "qas": [{"id": "1", "question": "?"}]}]}]}',
    "train.jsonl": '{"query_id": "1", "query": "r", "positive_passages": [{"docid": "7", "text": "a"}]}\n',
    "testset.csv": "user_input,reference_contexts,reference\nreset?,['Hold it.'],hold\n",
    "adi/ADI.ALL": ".I 1\n.W\nHold it.\n",
    "adi/ADI.QRY": ".I 1\n.W\nreset\n",
    "adi/ADI.REL": "1 1 0 0.0\n",
    "simpleqa_verified.csv": "original_index,problem,answer,topic,answer_type,urls\n"
    "5,Who?,Ann Lee,Art,Person,https://x.example/c\n7,When?,1901,Art,Date,https://x.example/d\n",
    "good.jsonl": '{"query_id": "sqv-5", "rank": 1, "url": "https://x.example/c"}\n',
    "bad.jsonl": '{"query_id": "sqv-5", "status": "timeout"}\n',
    "captured.jsonl": '{"url": "https://x.example/c", "status": "404"}\n',
    "tickets/corpus.jsonl": '{"_id": "d1", "title": "", "text": "Hold the button."}\n',
    "tickets/queries.jsonl": '{"_id": "q1", "text": "reset"}\n',
    "tickets/qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\n",
    "broken/corpus.jsonl": '{"_id": "d1", "title": null, "text": "Hold the button."}\n',
    "broken/queries.jsonl": '{"_id": "q1", "text": "reset"}\n',
    "broken/qrels/test.tsv": "q1 0 d1 1\nq1 0 d1 2\nq1 0 d2 1\n",
    "run.trec": "q1 Q0 d1 1 2.0 mine\nq2 Q0 d1 1 2.0 mine\n",
    "mine.trec": "q1 Q0 d1 1 2.0 mine\nq2 Q0 d2 1 2.0 mine\n",
    "mine-2.trec": "q1 Q0 d1 1 2.0 mine\nq2 Q0 d1 1 2.0 mine\n",
    "helpdesk.yaml": "name: helpdesk\ndatasets: [./tickets, ./bills]\nretrievers: [bm25, rank-bm25]\n",
    "sizes.yaml": 'name: sizes\ndatasets: [./tickets]\nretrievers: ["bm25-maxp:size=128", "bm25-maxp"]\n',
    "bills/corpus.jsonl": '{"_id": "d1", "title": "", "text": "Under Billing."}\n',
    "bills/queries.jsonl": '{"_id": "q1", "text": "billing"}\n',
    "bills/qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\n",
    f"theirs/ann__tiny/{'0' * 40}/SciFact.json": '{"task_name": "SciFact", "dataset_revision": "0", '
    '"scores": {"test": [{"ndcg_at_10": 0.6, "main_score": 0.6, "hf_subset": "default"}]}}',
    "bm25.trec": "q1 Q0 d2 1 2.0 bm25\nq2 Q0 d2 1 2.0 bm25\n",
}


@pytest.mark.parametrize(
    ("name", "commands"),
    [
        ("README.md", {"convert", "run", "score", "compare"}),
        ("docs/own-data.md", {"convert", "run", "check", "stats"}),
        ("docs/qrels.md", {"qrels"}),
        ("docs/mending.md", {"check"}),
        ("docs/exporting.md", {"export"}),
        ("docs/supporting-pages.md", {"convert", "providers", "equivalents", "export"}),
        ("docs/comparing.md", {"run", "compare"}),
        ("docs/long-documents.md", {"run", "compare"}),
        ("docs/importing.md", {"run", "import", "compare", "export"}),
        ("docs/capsules.md", {"run", "export", "validate", "replay", "compare"}),
        ("docs/why.md", {"run", "verify", "explain"}),
    ],
)
def test_what_a_reader_would_type_works(
    name: str,
    commands: set[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The commands of a page one after the other, without minilm, in a folder with files as it describes."""
    for file, text in READERS_FILES.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BEIRKIT_HOME", str(tmp_path / "home"))
    tried = set()
    for words in command_lines(name, "beirkit"):
        if words[0] in commands:
            words = shlex.split(shlex.join(words).replace(" -r minilm", ""))
            words = [path for word in words for path in (_matching(word) or [word])]
            assert main(words) == 0, f"beirkit {shlex.join(words)}\n{capsys.readouterr().err}"
            tried.add(words[0])
    assert tried == commands


def _matching(word: str) -> list[str]:
    """The paths that a shell puts in the place of a pattern."""
    return sorted(map(str, Path().glob(word))) if "*" in word else []
