"""Check deploy/rayservice.yaml, surroundings.yaml and gateway.yaml against the definitions that a cluster would hold them to; run by hand.

    python tests/scale/check_rayservice.py --crds ray.io_rayservices.yaml gatewayapi-crds.yaml ... [--kubernetes v1.37.0-local-strict]

--crds: files of definitions. KubeRay's lie in `helm-chart/kuberay-operator/crds`, Envoy Gateway's and those of the Gateway API in its
`charts/gateway-helm/charts/crds/crds`. --kubernetes: a folder of JSON schemas of Kubernetes' kinds, one a file
(`poddisruptionbudget-policy-v1.json`), as the package kubernetes-validate and kubeconform have them. Unknown fields are errors, as with
`kubectl apply --validate=strict`. All ran clean with KubeRay 1.7.0, Envoy Gateway 1.9.0, the Gateway API 1.6.1 and Kubernetes 1.37.0.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import yaml

DEPLOY = Path(__file__).parents[2] / "deploy"
FILES = ("rayservice.yaml", "surroundings.yaml", "gateway.yaml")
MOST_NAME = 47  # characters of a RayService's: KubeRay 1.7.0, ray-operator/controllers/ray/utils/constant.go
KINDS = {
    "object": Mapping, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool, "null": type(None),
}  # fmt: skip
QUANTITY = re.compile(r"^[0-9.]+([eE][0-9]+|[numkMGTPE]|[KMGTPE]i)?$")


def documents(file: Path) -> list[Mapping]:
    return [document for document in yaml.safe_load_all(file.read_text(encoding="utf-8")) if document]


class Definitions:
    """Schemas of OpenAPI and JSON schema, as far as Kubernetes uses them. folder: where what they refer to lies (`_definitions.json`)."""

    def __init__(self, folder: Path | None = None):
        self._folder = folder
        self._files: dict[str, Mapping] = {}

    def faults(self, value: object, schema: Mapping, place: str = "") -> Iterator[str]:
        """What of a value the schema does not take. A field that it does not name is a fault too."""
        schema = self._referred(schema)
        kinds = ["integer", "string"] if schema.get("x-kubernetes-int-or-string") else _listed(schema.get("type", []))
        if kinds and not any(isinstance(value, KINDS[kind]) for kind in kinds):
            yield f"{place}: {value!r} is no {' or '.join(kinds)}"
            return
        if "enum" in schema and value not in schema["enum"]:
            yield f"{place}: {value!r} is none of {', '.join(map(str, schema['enum']))}"
        if "oneOf" in schema and not any(not list(self.faults(value, choice, place)) for choice in schema["oneOf"]):
            yield f"{place}: {value!r} is none of its kinds"
        if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
            yield f"{place}: {value!r} does not match {schema['pattern']}"
        if isinstance(value, int) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
            yield f"{place}: {value} is out of range"
        if isinstance(value, list):
            for number, part in enumerate(value):
                yield from self.faults(part, schema.get("items", {}), f"{place}[{number}]")
        if isinstance(value, Mapping):
            yield from self._faults_of_fields(value, schema, place)

    def _faults_of_fields(self, value: Mapping, schema: Mapping, place: str) -> Iterator[str]:
        fields, others = schema.get("properties", {}), schema.get("additionalProperties")
        yield from (f"{place}: {name} is missing" for name in schema.get("required", []) if name not in value)
        for name, part in value.items():
            if name in fields:
                yield from self.faults(part, fields[name], f"{place}.{name}")
            elif isinstance(others, Mapping):
                yield from self.faults(part, others, f"{place}.{name}")
            elif fields and not schema.get("x-kubernetes-preserve-unknown-fields"):
                yield f"{place}: {name} is unknown"

    def _referred(self, schema: Mapping) -> Mapping:
        if "$ref" not in schema:
            return schema
        address, _, path = schema["$ref"].partition("#/")
        file = address.rpartition("/")[2] or "_definitions.json"  # which refers to itself
        found = self._files.get(file) or self._files.setdefault(file, json.loads((self._folder / file).read_text()))
        for step in path.split("/"):
            found = found[step]
        return self._referred(found)


def _listed(kinds: str | list[str]) -> list[str]:
    return [kinds] if isinstance(kinds, str) else kinds


def own_rules(service: Mapping) -> Iterator[str]:
    """What KubeRay's operator refuses beside its schema (ray-operator/controllers/ray/utils/validation.go), as far as it concerns ours."""
    name = service["metadata"]["name"]
    if len(name) > MOST_NAME or not re.fullmatch("[a-z]([-a-z0-9]*[a-z0-9])?", name):
        yield f"metadata.name: {name!r} is no name for a RayService"
    cluster = service["spec"]["rayClusterConfig"]
    groups = cluster["workerGroupSpecs"]
    if len({group["groupName"] for group in groups}) < len(groups):
        yield "workerGroupSpecs: two groups have one name"
    for group in (cluster["headGroupSpec"], *groups):
        said = group.get("groupName", "head")
        taken = {"num-cpus", "num-gpus", "memory", "resources"} & group.get("rayStartParams", {}).keys()
        if taken and group.get("resources"):
            yield f"{said}: {', '.join(taken)} stand in rayStartParams, resources in the group; KubeRay takes one of them"
        if group.get("minReplicas", 0) > group.get("maxReplicas", 0) and group is not cluster["headGroupSpec"]:
            yield f"{said}: minReplicas is over maxReplicas"
        for quantities in group["template"]["spec"]["containers"][0]["resources"].values():
            yield from (f"{said}: {amount!r} of {kind} is no quantity" for kind, amount in quantities.items() if not QUANTITY.match(amount))
    for gated in ("networkPolicy", "tlsOptions", "historyServerOptions"):
        if gated in cluster:
            yield f"{gated}: the operator refuses it unless a feature gate is open"


def crd_schemas(files: list[Path]) -> dict[tuple[str, str], Mapping]:
    """(apiVersion, kind) -> schema, of all definitions in the files."""
    found: dict[tuple[str, str], Mapping] = {}
    for definition in (document for file in files for document in documents(file) if document["kind"] == "CustomResourceDefinition"):
        spec = definition["spec"]
        for version in spec["versions"]:
            found[f"{spec['group']}/{version['name']}", spec["names"]["kind"]] = version["schema"]["openAPIV3Schema"]
    return found


def schema_of(document: Mapping, folder: Path) -> Mapping:
    group, _, version = document["apiVersion"].rpartition("/")
    name = "-".join(filter(None, (document["kind"].lower(), group.split(".")[0], version)))
    return json.loads((folder / f"{name}.json").read_text())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--crds", type=Path, nargs="+", required=True)
    parser.add_argument("--kubernetes", type=Path)
    options = parser.parse_args()
    own, kubernetes, checked = crd_schemas(options.crds), Definitions(options.kubernetes), []
    found = [f"RayService: {fault}" for fault in own_rules(documents(DEPLOY / "rayservice.yaml")[0])]
    for document in (document for name in FILES for document in documents(DEPLOY / name)):
        kind = (document["apiVersion"], document["kind"])
        schema = own.get(kind) or (schema_of(document, options.kubernetes) if options.kubernetes else None)
        if schema is None:
            found.append(f"{document['kind']}: no definition of it was handed over")
            continue
        checked.append(document["kind"])
        found += [f"{document['kind']}{fault}" for fault in (Definitions() if kind in own else kubernetes).faults(document, schema)]
    print("\n".join(found) or f"{', '.join(checked)}: nothing to object to")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
