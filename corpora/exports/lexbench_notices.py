"""The texts that a release of LexBench-SimpleQA-Verified carries beside its data."""

CARD = """\
---
pretty_name: LexBench-SimpleQA-Verified
license:
  - apache-2.0
  - mit
task_categories:
  - text-retrieval
source_datasets:
  - extended|google/simpleqa-verified
language:
  - en
configs:
  - config_name: factual-v1
    data_files:
      - split: test
        path: data/factual-v1.jsonl
---
# LexBench-SimpleQA-Verified

{tasks} questions of SimpleQA Verified with their reference answers and supporting addresses, written by
`beirkit export`.

- References are not all relevant pages: a tool may find another page that supports the answer.
- An answer in the text of a result does not establish that the result answers the question.
- These measures are of retrieval. They are no SimpleQA accuracy, say nothing about what a model knows, and
  stand apart from graded relevance.
- Copies of the questions on the web contaminate results; scores without such results stand beside the others.
- `url_equivalence` (`document-url/1`) and `reference_equivalence` are definitions of beirkit's own; equality
  with another harness is not claimed.

Rows have `id`, `input`, `family`, `language` and `task`; parse `task` as JSON. Name a full commit when you
cite results.
Licences: see LICENSE, THIRD_PARTY.md and notices/.
"""

THIRD_PARTY = """\
# Third-party material

- Questions, answers, labels and addresses: SimpleQA Verified (Google DeepMind, Google Research), whose
  dataset card declares MIT. Haas, Yona, D'Antonio, Goldshtein and Das (2025), SimpleQA Verified: A Reliable
  Factuality Benchmark to Measure Parametric Knowledge.
- It is made from SimpleQA, copyright 2024 OpenAI, MIT. Wei et al. (2024), Measuring short-form factuality in
  large language models.
- The pages behind the addresses belong to their sites. No text of theirs is here, and no licence to it is
  given.
"""

LICENCE = """\
Third-party material: MIT, see THIRD_PARTY.md and notices/.
Additions: Apache License, Version 2.0 (SPDX: Apache-2.0), https://www.apache.org/licenses/LICENSE-2.0
"""

MIT = """\
MIT License

{holder}

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
"""
