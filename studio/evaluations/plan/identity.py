"""plan_digest: what makes two plans one evaluation."""

import hashlib
import json

from studio.evaluations.plan.plan import EvaluationPlan

__all__ = ["plan_digest"]


def plan_digest(plan: EvaluationPlan) -> str:
    """SHA-256 of all that is said and measured, whatever it is called. plan: a complete one, with the digests of its recordings."""
    told = plan.model_dump(mode="json", exclude={"title"}, exclude_defaults=True)
    return hashlib.sha256(json.dumps(told, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
