"""The Serve configurations of deploy/ are what Ray takes: its own schema, its own builder, and names that the built application has."""

import inspect
from pathlib import Path

import pytest
import yaml

pytestmark = [pytest.mark.scale, pytest.mark.filterwarnings("default")]  # Ray is not free of warnings of its own
DEPLOY = Path(__file__).parents[2] / "deploy"


@pytest.fixture(params=["serve-config.yaml", "serve-config-engines.yaml"])
def config(request) -> dict:
    return yaml.safe_load((DEPLOY / request.param).read_text(encoding="utf-8"))


def test_the_schema_takes_it_and_knows_every_field(config):
    from ray.serve.schema import ServeDeploySchema

    parsed = ServeDeploySchema(**config).model_dump(exclude_unset=True)  # imports the router and the policy that it names
    assert parsed.keys() == config.keys()
    (written,), (read,) = config["applications"], parsed["applications"]
    assert written.keys() == read.keys()
    for before, after in zip(written["deployments"], read["deployments"], strict=True):
        assert before.keys() == after.keys()
        assert before["ray_actor_options"].keys() == after["ray_actor_options"].keys()
        assert before.get("autoscaling_config", {}).keys() <= dict(after.get("autoscaling_config", {})).keys()


def test_a_router_takes_what_it_is_told(config):
    from ray.serve.config import RequestRouterConfig

    for deployment in config["applications"][0]["deployments"]:
        routing = RequestRouterConfig(**deployment.get("request_router_config", {}))
        inspect.signature(routing.get_request_router_class().initialize_state).bind(None, **routing.request_router_kwargs)


def test_the_application_that_is_built_has_the_deployments(config, monkeypatch):
    from ray._common.utils import import_attr
    from ray.serve._private.build_app import build_app

    (application,) = config["applications"]
    for name, value in application["runtime_env"]["env_vars"].items():
        monkeypatch.setenv(name, value)
    built = build_app(
        import_attr(application["import_path"])(application["args"]), name="studio", make_deployment_handle=lambda deployment, name: None
    )
    assert {deployment.name for deployment in built.deployments} == {deployment["name"] for deployment in application["deployments"]}
    assert built.ingress_deployment_name == application["deployments"][0]["name"]
