"""Models that say whether a text supports a statement, for the claims tier 0 is unsure of. Needs the extra `onnx`.

Nothing else in the package imports this folder, apart from the command line when a model is named there.
"""

from rag_eval_hooks.support_models.cross_encoder import OnnxCrossEncoder
from rag_eval_hooks.support_models.embedder import OnnxEmbedder
from rag_eval_hooks.support_models.folder import open_support_model

__all__ = ["OnnxCrossEncoder", "OnnxEmbedder", "open_support_model"]
