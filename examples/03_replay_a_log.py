"""Evaluate a log of questions that were answered before: JSONL in, evaluations out, averages with their counts."""

import json
import tempfile
from pathlib import Path

from rag_eval_hooks.metrics import averages
from rag_eval_hooks.replay import load, replay

LOG = [
    {
        "id": "q1",
        "question": "How high is the tower?",
        "contexts": [
            {"id": "t1", "text": "The tower was finished in 1889 and is 330 metres high."},
            {"id": "t2", "text": "Tickets for the lift are sold at the entrance."},
        ],
        "answer": "The tower is 330 metres high [1].",
        "gold": {"relevant_ids": ["t1"]},
    },
    {
        "id": "q2",
        "question": "When was the tower finished?",
        "contexts": [
            {"id": "t2", "text": "Tickets for the lift are sold at the entrance."},
            {"id": "t1", "text": "The tower was finished in 1889 and is 330 metres high."},
        ],
        "answer": "The tower was finished in 1887 [2].",
        "gold": {"relevant_ids": ["t1"]},
    },
    {
        "id": "q3",
        "question": "Who designed the tower?",
        "contexts": [{"id": "t2", "text": "Tickets for the lift are sold at the entrance."}],
        "answer": "I don't know.",
    },
]

with tempfile.TemporaryDirectory() as folder:
    log, evaluations = Path(folder, "log.jsonl"), Path(folder, "evaluations.jsonl")
    log.write_text("".join(json.dumps(line) + "\n" for line in LOG), encoding="utf-8")

    summary = replay(log, evaluations, k=2)
    print(f"{summary.read} lines read, {summary.evaluated} evaluated")

    results = [evaluation for _, evaluation in load(evaluations)]

for evaluation in results:
    found = ", ".join(finding.kind for finding in evaluation.findings) or "nothing to report"
    print(f"{evaluation.run_id} {evaluation.answer_kind}: {found}")
print()
for average in averages((evaluation.results, 1.0) for evaluation in results):
    print(average)
