"""What deploy/ says of Kubernetes holds: who reaches what, how answers pass the gateway, what a container may do, where weights lie."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import yaml

from engines.catalog import engine_info

DEPLOY = Path(__file__).parents[2] / "deploy"
SHARED = "/mnt/studio"
POLICIES = "gateway.envoyproxy.io"


@cache
def documents(name: str) -> tuple[Mapping, ...]:
    return tuple(yaml.safe_load_all((DEPLOY / name).read_text(encoding="utf-8")))


def the(name: str, kind: str, called: str = "studio") -> Mapping:
    """The one document of a file."""
    (found,) = [document for document in documents(name) if (document["kind"], document["metadata"]["name"]) == (kind, called)]
    return found["spec"]


def cluster() -> Mapping:
    return the("rayservice.yaml", "RayService")["rayClusterConfig"]


def pods() -> dict[str, Mapping]:
    """Specifications by group."""
    groups = (cluster()["headGroupSpec"], *cluster()["workerGroupSpecs"])
    return {group.get("groupName", "head"): group["template"]["spec"] for group in groups}


def containers() -> Iterator[tuple[str, Mapping]]:
    """Of all pods, those that begin them and the autoscaler, which KubeRay puts beside the head, included."""
    for group, pod in pods().items():
        for container in (*pod["initContainers"], *pod["containers"]):
            yield f"{group}: {container['name']}", container
    yield "head: autoscaler", cluster()["autoscalerOptions"]


# --- the gateway


def policies() -> list[Mapping]:
    return [document["spec"] for document in documents("gateway.yaml") if document["apiVersion"].startswith(POLICIES)]


def test_nothing_is_left_of_the_ingress_that_nobody_maintains():
    files = [*filter(Path.is_file, DEPLOY.rglob("*")), DEPLOY.parent / "studio/scale/README.md"]
    text = "".join(file.read_text(encoding="utf-8") for file in files)
    assert "nginx" not in text
    assert {document["kind"] for document in documents("gateway.yaml")} >= {"GatewayClass", "Gateway", "HTTPRoute"}
    assert "Ingress" not in {document["kind"] for document in documents("surroundings.yaml")}


def test_every_request_goes_to_the_doors_of_the_service_that_kuberay_makes():
    (rule,) = the("gateway.yaml", "HTTPRoute")["rules"]
    assert rule["matches"] == [{"path": {"type": "PathPrefix", "value": "/"}}]
    (backend,) = rule["backendRefs"]
    service = f"{documents('rayservice.yaml')[0]['metadata']['name']}-serve-svc"
    ports = {port["name"]: port["containerPort"] for pod in pods().values() for port in pod["containers"][0]["ports"]}
    assert backend == {"name": service, "port": ports["serve"]}


def test_an_answer_may_take_as_long_as_it_likes_and_be_silent_for_an_hour():
    (rule,) = the("gateway.yaml", "HTTPRoute")["rules"]
    assert rule["timeouts"] == {"request": "0s"}
    assert the("gateway.yaml", "ClientTrafficPolicy")["timeout"] == {"http": {"streamIdleTimeout": "3600s"}}
    assert "timeout" not in the("gateway.yaml", "BackendTrafficPolicy")


def test_nothing_is_kept_back_limited_or_asked_twice_on_its_way():
    """Envoy passes bodies on as they come unless it is told otherwise, and asks once."""
    said = set().union(*policies())
    assert said == {"targetRefs", "timeout", "headers", "circuitBreaker"}  # and so no requestBuffer, compression, retry, connection limit
    (rule,) = the("gateway.yaml", "HTTPRoute")["rules"]
    assert not {"retry", "sessionPersistence"} & rule.keys()


def test_policies_are_of_the_gateway_and_of_the_route_that_there_are():
    targets = [target for policy in policies() for target in policy["targetRefs"]]
    assert len(targets) == len(policies()) == 2
    for target in targets:
        assert target["group"] == "gateway.networking.k8s.io"
        assert the("gateway.yaml", target["kind"], target["name"])


def test_more_listeners_than_envoys_default_are_let_through():
    limits = the("gateway.yaml", "BackendTrafficPolicy")["circuitBreaker"]
    assert set(limits) == {"maxConnections", "maxParallelRequests", "maxPendingRequests"} and min(limits.values()) >= 16_384


def test_listeners_cannot_say_who_they_are_and_nobody_stays_without_encryption():
    assert the("gateway.yaml", "ClientTrafficPolicy")["headers"]["earlyRequestHeaders"]["remove"] == ["X-Forwarded-For"]
    listeners = {listener["name"]: listener for listener in the("gateway.yaml", "Gateway")["listeners"]}
    assert listeners["https"]["tls"]["certificateRefs"] and listeners["https"]["protocol"] == "HTTPS"
    names = {route: the("gateway.yaml", "HTTPRoute", route) for route in ("studio", "studio-http")}
    assert names["studio"]["hostnames"] == names["studio-http"]["hostnames"]
    assert {route: spec["parentRefs"][0]["sectionName"] for route, spec in names.items()} == {"studio": "https", "studio-http": "http"}
    (rule,) = names["studio-http"]["rules"]
    assert rule["filters"][0]["requestRedirect"] == {"scheme": "https", "statusCode": 308}
    (rule,) = names["studio"]["rules"]
    assert [header["name"] for header in rule["filters"][0]["responseHeaderModifier"]["set"]] == ["Strict-Transport-Security"]


# --- who reaches what


def let_in(namespace: str) -> tuple[Mapping, set[int]]:
    """Which pods of a namespace the network policy lets in, and at which ports."""
    for rule in the("surroundings.yaml", "NetworkPolicy")["ingress"]:
        (peer,) = rule["from"]
        if peer.get("namespaceSelector", {}).get("matchLabels", {}).get("kubernetes.io/metadata.name") == namespace:
            return peer.get("podSelector", {}).get("matchLabels", {}), {port["port"] for port in rule["ports"]}
    raise AssertionError(f"nobody of {namespace} is let in")


def test_the_gateways_proxies_reach_the_doors_and_nothing_else():
    labels, ports = let_in("envoy-gateway-system")
    assert ports == {8000}
    assert labels[f"{POLICIES}/owning-gateway-name"] == next(
        document["metadata"]["name"] for document in documents("gateway.yaml") if document["kind"] == "Gateway"
    )


def test_monitoring_reaches_the_port_of_the_figures_and_nothing_else():
    metrics = {port["containerPort"] for pod in pods().values() for port in pod["containers"][0]["ports"] if port["name"] == "metrics"}
    assert let_in("monitoring") == ({}, metrics)


def test_the_policy_holds_for_every_pod():
    wanted = the("surroundings.yaml", "NetworkPolicy")["podSelector"]["matchLabels"].items()
    for group in (cluster()["headGroupSpec"], *cluster()["workerGroupSpecs"]):
        assert wanted <= group["template"]["metadata"]["labels"].items()


# --- what a container may do


def test_no_container_is_root_becomes_another_user_or_writes_its_root():
    for name, container in containers():
        rights = container["securityContext"]
        assert rights["allowPrivilegeEscalation"] is False and rights["capabilities"] == {"drop": ["ALL"]}, name
        assert rights["readOnlyRootFilesystem"] is True and not rights.get("privileged"), name
    for name, pod in pods().items():
        rights = pod["securityContext"]
        assert rights["runAsNonRoot"] is True and rights["seccompProfile"] == {"type": "RuntimeDefault"}, name
        assert not {"hostNetwork", "hostPID", "hostIPC"} & pod.keys()
        assert not any("hostPath" in volume for volume in pod["volumes"])


def test_pods_run_as_the_user_of_the_image():
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    user, group = re.findall(r"^USER (.*)$", text, re.MULTILINE)[-1].split(":")
    assert text.rindex("\nUSER ") < text.index("\nWORKDIR ")
    assert all(owner == f"{user}:{group}" for owner in re.findall(r"--chown=(\S+)", text))
    for pod in pods().values():
        rights = pod["securityContext"]
        assert (str(rights["runAsUser"]), str(rights["runAsGroup"]), str(rights["fsGroup"])) == (user, group, group)


def test_what_ray_and_the_studio_write_lies_in_mounts():
    for name, container in containers():
        mounts = {mount["mountPath"] for mount in container["volumeMounts"]}
        assert "/tmp" in mounts and not any(mount.get("readOnly") for mount in container["volumeMounts"]), name
        caches = [variable for variable in container.get("env", ()) if variable["name"] in ("TRITON_CACHE_DIR", "XDG_CACHE_HOME")]
        assert len(caches) == 2 or not name.endswith(("ray-head", "ray-worker"))
        assert all(Path(variable["value"]).is_relative_to("/tmp") for variable in caches)
    for pod in pods().values():
        volumes = {volume["name"]: volume for volume in pod["volumes"]}
        assert volumes["tmp"]["emptyDir"]["sizeLimit"] and volumes["weights"]["emptyDir"]["sizeLimit"]


def test_only_the_head_asks_kubernetes():
    assert all(pod["automountServiceAccountToken"] is False for group, pod in pods().items() if group != "head")


# --- the shared folder, and weights


def test_the_volume_is_of_a_driver_that_heeds_the_group():
    volume = the("surroundings.yaml", "PersistentVolume")
    assert "nfs" not in volume and volume["csi"]["driver"] == "nfs.csi.k8s.io"
    assert "actimeo=0" in volume["mountOptions"] and "soft" in volume["mountOptions"]
    assert all(pod["securityContext"]["fsGroupChangePolicy"] == "OnRootMismatch" for pod in pods().values())


def test_every_pod_says_before_it_starts_whether_it_may_write_the_folder():
    for name, pod in pods().items():
        (prepare,) = pod["initContainers"]
        assert prepare["command"][:4] == ["python3", "-m", "studio.commands.prepare_pod", SHARED], name
        mounts = {mount["mountPath"]: mount["name"] for mount in prepare["volumeMounts"]}
        volumes = {volume["name"]: volume for volume in pod["volumes"]}
        assert volumes[mounts[SHARED]]["persistentVolumeClaim"]


def test_weights_are_mapped_from_the_nodes_disk_to_which_they_are_copied_first():
    (application,) = yaml.safe_load(the("rayservice.yaml", "RayService")["serveConfigV2"])["applications"]
    home = application["runtime_env"]["env_vars"]["HF_HOME"]
    assert not Path(home).is_relative_to(SHARED)
    for engine in application["args"]["engines"].split(","):
        (group,) = [group for group in cluster()["workerGroupSpecs"] if engine in group["resources"]]
        pod = group["template"]["spec"]
        volumes = {volume["name"]: volume for volume in pod["volumes"]}
        for container in (pod["initContainers"][0], pod["containers"][0]):
            (mounted,) = [mount["name"] for mount in container["volumeMounts"] if Path(home).is_relative_to(mount["mountPath"])]
            assert "emptyDir" in volumes[mounted]
        (prepare,) = pod["initContainers"]
        assert prepare["command"][4:] == ["--weights", engine, "--onto", home]
        (source,) = [variable["value"] for variable in prepare["env"] if variable["name"] == "HF_HOME"]
        assert Path(source).is_relative_to(SHARED)
        assert engine_info(engine).hub_id  # one repository holds them


def test_whole_studios_map_no_weights_of_the_shared_folder_either():
    (application,) = documents("serve-config.yaml")[0]["applications"]
    environment = application["runtime_env"]["env_vars"]
    assert not Path(environment["HF_HOME"]).is_relative_to(Path(environment["SPEAKER_SAMPLES_DIR"]).parent)
