"""What a retriever and the models that it was made from were trained on."""

from __future__ import annotations

from beirkit.configs.load import load_retriever, names
from beirkit.configs.schema import RetrieverConfig
from beirkit.configs.spec import nested_config, nested_specs


def training_of(config: RetrieverConfig) -> list[list[str] | None]:
    """Dataset families that a retriever and each of its ancestors were trained on; None: not known of one.

    ``adapted_from`` is followed through shipped retrievers; of any other model nothing is known.
    The retrievers that stand in its options count as well.
    """
    whole = config
    found, seen = [config.trained_on], {config.name}
    while config.adapted_from:
        if config.adapted_from in seen or config.adapted_from not in names("retrievers"):
            found.append(None)
            break
        seen.add(config.adapted_from)
        config = load_retriever(config.adapted_from)
        found.append(config.trained_on)
    for spec in nested_specs(whole.options):
        found += training_of(nested_config(spec))
    return found
