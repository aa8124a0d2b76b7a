"""A BERT small enough to be made on the spot, with weights drawn by chance."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

_WORDS = """
[PAD] [UNK] [CLS] [SEP] [MASK] owl owls barn hunt hunts voles at night the kestrel falcon bird birds eat
query passage find : . , a b c d e f g h i j k l m n o p q r s t u v w x y z
"""
WORDS = _WORDS.split()


def save_bert(folder: Path, words: list[str] = WORDS) -> None:
    """Write two layers of width 32 that know these words, and their tokenizer, as transformers does."""
    import torch

    transformers: Any = import_module("transformers")
    torch.manual_seed(7)
    config = transformers.BertConfig(
        vocab_size=len(words), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=64, initializer_range=0.5,
    )  # fmt: skip
    transformers.BertModel(config).save_pretrained(folder)
    (folder / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    transformers.BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
