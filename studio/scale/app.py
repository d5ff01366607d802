"""Apps for Ray Serve: `import_path` of a configuration, or of `private_cluster`, names a function of this file. Its arguments are texts."""

from collections.abc import Mapping

from ray.serve import Application

__all__ = ["of_replicas", "split", "whole"]

# A speech that a replica has begun ends before the replica does: the longest that the API gives in a whole file, half an hour, takes an
# engine less time than a listener, and what a listener waits for is streamed.
GRACE_SECONDS = 120.0


def whole(args: Mapping[str, str]) -> Application:
    """Whole studios as replicas, a deployment named `Studio`.

    replicas: how many, 2 when left out. headless: "1" for the API alone. host: the address at which the cluster is asked for, 127.0.0.1.
    grace_seconds: how long a replica that is to go finishes what it speaks, 120. cpus: what Ray counts for each, 1. gpus: likewise, 0.
    Raises ValueError for another argument.
    """
    from studio.scale.whole_studio import ReplicaStudio

    return of_replicas(ReplicaStudio, args)


def split(args: Mapping[str, str]) -> Application:
    """Ingress studios, a deployment named `Ingress`, and one deployment per engine that wants a GPU, named as the engine.

    args: as `studio.scale.split.SplitArguments` says. Raises ValueError for another argument.
    """
    from studio.scale.split import split as of_engines

    return of_engines(args)


def of_replicas(replica: type, args: Mapping[str, str]) -> Application:
    """As `whole`, of another class of replicas."""
    from studio.scale.whole_studio import deployed

    known = {"replicas": "2", "headless": "", "host": "127.0.0.1", "grace_seconds": str(GRACE_SECONDS), "cpus": "1", "gpus": "0"}
    if unknown := sorted(args.keys() - known.keys()):
        raise ValueError(f"Unknown argument {', '.join(unknown)}. Known: {', '.join(known)}.")
    said = known | dict(args)
    deployment = deployed(
        replica,
        num_replicas=int(said["replicas"]),
        graceful_shutdown_timeout_s=float(said["grace_seconds"]),
        ray_actor_options={"num_cpus": float(said["cpus"]), "num_gpus": float(said["gpus"])},
    )
    return deployment.bind(said["headless"] == "1", said["host"])
