"""Every kind of defect a BEIR folder can have: its code, how bad it is, and its name in a few words.

A code keeps its meaning for ever; what else there is to say about each stands in codes.toml.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Severity = Literal["error", "warning", "info", "known", "accepted"]


class Code(NamedTuple):
    """One kind of defect.

    Attributes:
        severity: error (the folder must not be used), warning (it can be, knowing this), info.
        title: the kind, in a few words.
        deep: whether it is only looked for when asked.
    """

    severity: Severity
    title: str
    deep: bool = False


CODES: dict[str, Code] = {
    # files and lines
    "BK001": Code("error", "a file is missing or cannot be read to its end"),
    "BK002": Code("error", "a line is not JSON"),
    "BK003": Code("error", "a line is not a JSON object"),
    "BK004": Code("error", "a value has the wrong type"),
    "BK005": Code("error", "a key is missing"),
    "BK006": Code("error", "one id stands for different texts"),
    "BK007": Code("error", "an id is empty or holds a control character"),
    "BK008": Code("error", "a line is not UTF-8, or holds half of a surrogate pair"),
    "BK009": Code("warning", "a record is repeated with the same id and text"),
    "BK010": Code("warning", "a document has neither title nor text"),
    "BK011": Code("warning", "a query has no text"),
    "BK012": Code("info", "a title or text is null"),
    "BK013": Code("info", "a file starts with a byte-order mark"),
    "BK014": Code("info", "lines end with CR LF"),
    "BK015": Code("warning", "two ids differ in their Unicode form only"),
    "BK016": Code("warning", "an id holds white space, which TREC files cannot carry"),
    "BK017": Code("info", "a text holds control characters"),
    "BK018": Code("warning", "an id holds an invisible character"),
    # judgments
    "BK019": Code("warning", "a qrels file has TREC's columns, not BEIR's"),
    "BK020": Code("warning", "a qrels file has no header"),
    "BK021": Code("warning", "a qrels header has unknown names or another order"),
    "BK022": Code("error", "a qrels line has the wrong number of columns"),
    "BK023": Code("error", "a grade is missing or not a whole number in 32 bits"),
    "BK024": Code("warning", "a judgment is repeated"),
    "BK025": Code("error", "one pair is judged with different grades"),
    "BK026": Code("warning", "a judged document is not in the corpus"),
    "BK027": Code("error", "a judged query is not among the queries"),
    "BK028": Code("warning", "a judged query has no relevant document"),
    "BK029": Code("warning", "an id stands in quotes, which are kept as characters"),
    "BK030": Code("warning", "a split holds no judgments"),
    "BK031": Code("warning", "no split is there"),
    "BK032": Code("error", "a judged id is there in another Unicode form only"),
    "BK033": Code("info", "a query and a document share an id and a text"),
    "BK034": Code("info", "a query and a document share an id by accident"),
    "BK035": Code("warning", "a query is judged relevant to the document of its own id"),
    "BK036": Code("warning", "two splits judge the same queries"),
    "BK037": Code("warning", "a grade is negative"),
    "BK038": Code("info", "queries stand in no split"),
    "BK039": Code("info", "a file in qrels/ is not read"),
    # the rest
    "BK040": Code("warning", "a file does not match the manifest"),
    "BK041": Code("info", "documents have no title key"),
    "BK042": Code("warning", "ids are numbers in JSON"),
    "BK043": Code("error", "there is no document"),
    "BK044": Code("error", "there is no query"),
    "BK045": Code("error", "a key stands twice in a record"),
    "BK046": Code("info", "lines are blank"),
    "BK047": Code("warning", "a grade is written with a decimal point"),
    "BK048": Code("warning", "the columns of a qrels table are parted by blanks"),
    "BK049": Code("warning", "a qrels file holds comments"),
    # texts, compared with each other
    "BK050": Code("info", "documents have the same text", deep=True),
    "BK051": Code("info", "documents are nearly the same", deep=True),
    "BK052": Code("warning", "an unjudged document is nearly the same as a relevant one", deep=True),
    "BK053": Code("info", "queries have the same text and the same judgments", deep=True),
    "BK054": Code("warning", "queries have the same text and different judgments", deep=True),
    "BK055": Code("warning", "a query of one split has the text of a query of another", deep=True),
    "BK056": Code("info", "what unjudged twins could do to the scores", deep=True),
    # files and judgments, again
    "BK057": Code("warning", "a grade is beyond what can be scored"),
    "BK058": Code("warning", "the metadata of a record is no object"),
    "BK059": Code("error", "lines end with CR alone"),
    # spans
    "BK060": Code("error", "a line is no span"),
    "BK061": Code("error", "a span answers a query that is not among the queries"),
    "BK062": Code("error", "a span ends beyond the text of its document"),
    "BK063": Code("warning", "a span is of a document that is not in the corpus"),
    "BK064": Code("warning", "a span is repeated"),
    "BK065": Code("error", "a passage is not as long as its place says"),
    "BK066": Code("warning", "a query has a span and no relevant document in the split"),
}
"""Every code with its severity and title."""
