"""What deploy/ says holds: names that the code has, settings that there are, one text in both files, times that fit into each other."""

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest
import yaml

from engines.catalog import engine_ids, engine_info
from studio.running.offer.offer import offered_settings
from studio.settings import SettingsInvalid

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
SERVE_CONFIGS = ("serve-config.yaml", "serve-config-engines.yaml")
OTHERS_ENVIRONMENT = {"HF_HOME", "HF_TOKEN", "OMP_NUM_THREADS"}  # of huggingface_hub and of PyTorch
OWN_DEPLOYMENT = {"studio.scale.app:whole": "Studio", "studio.scale.app:split": "Ingress"}


@cache
def serve_config(name: str) -> Mapping:
    return yaml.safe_load((DEPLOY / name).read_text(encoding="utf-8"))


def applications() -> Iterator[Mapping]:
    for name in SERVE_CONFIGS:
        yield from serve_config(name)["applications"]


@cache
def ray_service() -> Mapping:
    return yaml.safe_load((DEPLOY / "rayservice.yaml").read_text(encoding="utf-8"))


def pods() -> dict[str, Mapping]:
    """Specifications by group."""
    cluster = ray_service()["spec"]["rayClusterConfig"]
    return {group.get("groupName", "head"): group["template"]["spec"] for group in (cluster["headGroupSpec"], *cluster["workerGroupSpecs"])}


def settings_of(environment: Mapping[str, str]):
    return offered_settings(environment)


def test_every_process_of_a_cluster_knows_remote_engines_too():
    """By `offered_settings`: whoever reads settings without them refuses STUDIO_REMOTES, or offers less than the others."""
    readers = {file.stem for file in (ROOT / "studio" / "scale").glob("*.py") if "offered_settings" in names_in(file)}
    assert {"whole_studio", "split"} <= readers
    assert not [file for file in (ROOT / "studio" / "scale").glob("*.py") if "read_settings" in names_in(file)]


def import_paths(value: object) -> Iterator[str]:
    """Whatever names something in our source: "studio.module:name" or "studio.module.name"."""
    if isinstance(value, Mapping):
        for part in value.values():
            yield from import_paths(part)
    elif isinstance(value, list):
        for part in value:
            yield from import_paths(part)
    elif isinstance(value, str) and re.fullmatch(r"(studio|engines)(\.\w+)+(:\w+)?", value):
        yield value


def names_in(file: Path) -> set[str]:
    """What a module binds at its top, by definition or import."""
    names = set()
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.ImportFrom):
            names.update(alias.asname or alias.name for alias in node.names)
    return names


def test_every_import_path_of_a_serve_config_is_in_our_source():
    paths = {path for name in SERVE_CONFIGS for path in import_paths(serve_config(name))}
    assert {application["import_path"] for application in applications()} == set(OWN_DEPLOYMENT) <= paths
    for path in paths:
        module, _, name = path.replace(":", ".").rpartition(".")
        assert name in names_in(ROOT.joinpath(*module.split(".")).with_suffix(".py")), path


def test_deployments_are_those_that_the_builders_make():
    for application in applications():
        deployed = [name for name in application.get("args", {}).get("engines", "").split(",") if name]
        offered = settings_of(application["runtime_env"]["env_vars"]).engines
        names = [deployment["name"] for deployment in application["deployments"]]
        assert names == [OWN_DEPLOYMENT[application["import_path"]], *deployed]
        assert set(deployed) <= set(offered) <= set(engine_ids())
        assert all(engine_info(name).wants_gpu for name in deployed)
        for deployment in application["deployments"]:
            wants_gpu = deployment["name"] in deployed or deployment["name"] == "Studio"
            assert bool(deployment["ray_actor_options"].get("num_gpus")) == wants_gpu, deployment["name"]


def test_voices_go_elsewhere_from_as_many_streams_on_as_a_replica_is_meant_to_serve():
    for deployment in serve_config("serve-config-engines.yaml")["applications"][0]["deployments"]:
        if router := deployment.get("request_router_config"):
            assert router["request_router_kwargs"]["spill_at"] == deployment["autoscaling_config"]["target_ongoing_requests"]


def test_every_variable_is_a_setting_and_none_is_a_secret():
    for application in applications():
        environment = application["runtime_env"]["env_vars"]
        settings = settings_of(environment)
        assert settings.default_engine in settings.engines
        known = {field.title for field in type(settings).model_fields.values()} | OTHERS_ENVIRONMENT
        assert environment.keys() <= known - {"STUDIO_API_KEYS", "HF_TOKEN"}
        assert all(isinstance(value, str) for value in (*environment.values(), *application.get("args", {}).values()))
    for environment in (pod["containers"][0]["env"] for pod in pods().values()):
        secrets = {variable["name"]: variable["valueFrom"]["secretKeyRef"] for variable in environment if "valueFrom" in variable}
        assert set(secrets) == {"STUDIO_API_KEYS", "HF_TOKEN"}
        plain = {variable["name"] for variable in environment} - set(secrets)
        assert all(name.startswith("RAY_") for name in plain - {"FORWARDED_ALLOW_IPS", "TRITON_CACHE_DIR", "XDG_CACHE_HOME"})


def test_kubernetes_is_given_the_text_of_the_serve_config():
    assert ray_service()["spec"]["serveConfigV2"] == (DEPLOY / "serve-config-engines.yaml").read_text(encoding="utf-8")


def test_no_service_of_kubernetes_is_taken_for_a_setting():
    with pytest.raises(SettingsInvalid, match="STUDIO_SERVE_SVC_PORT"):
        settings_of({"STUDIO_SERVE_SVC_PORT": "tcp://10.0.0.1:8000"})
    assert all(pod["enableServiceLinks"] is False for pod in pods().values())


def test_every_deployment_finds_a_group_of_pods_that_has_room_for_it():
    groups = {group["groupName"]: group for group in ray_service()["spec"]["rayClusterConfig"]["workerGroupSpecs"]}
    for deployment in serve_config("serve-config-engines.yaml")["applications"][0]["deployments"]:
        wanted = deployment["ray_actor_options"]
        (group,) = [group for group in groups.values() if group["resources"].keys() == wanted["resources"].keys()]
        asked = group["template"]["spec"]["containers"][0]["resources"]
        assert float(asked["requests"]["cpu"]) >= wanted["num_cpus"]
        assert float(asked["limits"].get("nvidia.com/gpu", 0)) == wanted.get("num_gpus", 0)
        most = deployment.get("autoscaling_config", {}).get("max_replicas", deployment.get("num_replicas"))
        assert group["maxReplicas"] >= most


def test_all_pods_have_the_folder_and_the_same_flags():
    environment = serve_config("serve-config-engines.yaml")["applications"][0]["runtime_env"]["env_vars"]
    for pod in pods().values():
        container = pod["containers"][0]
        assert container["env"] == pods()["head"]["containers"][0]["env"]
        assert container["image"] == pods()["head"]["containers"][0]["image"]
        mounts = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
        assert all(any(Path(environment[name]).is_relative_to(path) for path in mounts) for name in ("SPEAKER_SAMPLES_DIR", "HF_HOME"))
        (shared,) = [name for path, name in mounts.items() if Path(environment["SPEAKER_SAMPLES_DIR"]).is_relative_to(path)]
        (volume,) = [volume for volume in pod["volumes"] if volume["name"] == shared]
        assert volume["persistentVolumeClaim"]["claimName"] in claims()


def claims() -> dict[str, Mapping]:
    documents = yaml.safe_load_all((DEPLOY / "surroundings.yaml").read_text(encoding="utf-8"))
    found = {document["metadata"]["name"]: document["spec"] for document in documents if document["kind"] == "PersistentVolumeClaim"}
    assert all(spec["accessModes"] == ["ReadWriteMany"] for spec in found.values())
    return found


def test_a_pod_goes_later_than_its_speeches_and_the_old_cluster_later_than_its_pods():
    application = serve_config("serve-config-engines.yaml")["applications"][0]
    grace = max(deployment["graceful_shutdown_timeout_s"] for deployment in application["deployments"])
    for name, pod in pods().items():
        if name == "head":
            continue
        flags = {variable["name"]: variable.get("value") for variable in pod["containers"][0]["env"]}
        drained = int(pod["containers"][0]["lifecycle"]["preStop"]["exec"]["command"][-1])
        assert grace < int(flags["RAY_SERVE_HAPROXY_HARD_STOP_AFTER_S"])
        assert grace < drained < pod["terminationGracePeriodSeconds"] <= ray_service()["spec"]["rayClusterDeletionDelaySeconds"]


def test_files_that_pods_name_are_in_the_image():
    dockerfile = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    home = re.search(r"^WORKDIR (.*)$", dockerfile, re.MULTILINE)[1]
    copied = [words.split()[1:-1] for words in re.findall(r"^COPY (.*)$", dockerfile, re.MULTILINE)]
    places = {place for words in copied for place in words}
    text = (DEPLOY / "rayservice.yaml").read_text(encoding="utf-8")
    named = {Path(place).relative_to(home) for place in re.findall(rf"{home}/[\w./-]+", text)}
    assert {"deploy/drain.sh", "studio/scale/haproxy.sh"} == {str(place) for place in named}
    for place in (*map(str, named), *places):
        assert (ROOT / place).exists()
        assert any(Path(place).is_relative_to(whole) for whole in places)


def test_the_image_has_the_ray_that_the_cluster_is_told():
    pinned = re.search(r"ray\[serve\]==(\S+)", (ROOT / "requirements-scale.txt").read_text(encoding="utf-8"))[1]
    assert f"FROM rayproject/ray:{pinned}-py311" in (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    assert ray_service()["spec"]["rayClusterConfig"]["rayVersion"] == pinned
