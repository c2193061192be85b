"""Typed anchors: values that must be the same in an answer and its source, found in folded text."""

from rag_eval_hooks.attribution.anchors.anchor import Anchor, fits
from rag_eval_hooks.attribution.anchors.measures import AFTER_NUMBER, read_measure
from rag_eval_hooks.attribution.anchors.scan import find_anchors

__all__ = ["AFTER_NUMBER", "Anchor", "find_anchors", "fits", "read_measure"]
