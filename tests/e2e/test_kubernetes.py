"""What Kustomize makes of deploy/kubernetes is what Kubernetes takes, is closed as it should be, and holds together."""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
import types
import typing
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from e2e.kubernetes_pods import BASE, KUBERNETES

OVERLAYS = ("base", "overlays/trial", "overlays/production")
WORKLOADS = ("StatefulSet", "Deployment", "Job")
# What is for somebody to make: docs/operations/kubernetes.md
OUTSIDE = {("Secret", "broker-tls"), ("Secret", "users"), ("Secret", "console-users"), ("ConfigMap", "cluster")}
_REFERENCE = re.compile(r"\$\((\w+)\)")


def rendered(overlay: str) -> list[dict[str, Any]]:
    for command in (["kustomize", "build"], ["kubectl", "kustomize"]):
        if shutil.which(command[0]):
            done = subprocess.run(
                [*command, str(KUBERNETES / overlay)], capture_output=True, text=True, timeout=60, check=False
            )
            assert (done.returncode, done.stderr) == (0, ""), done.stderr
            return list(yaml.safe_load_all(done.stdout))
    pytest.skip("no Kustomize here: neither kustomize nor kubectl")


@pytest.fixture(scope="module", params=OVERLAYS)
def objects(request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    return rendered(request.param)


def pods(objects: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    for each in objects:
        if each["kind"] in WORKLOADS:
            yield each["metadata"]["name"], each["spec"]["template"]["spec"]


def test_every_field_is_one_that_kubernetes_has(objects: list[dict[str, Any]]) -> None:
    try:
        models = importlib.import_module("kubernetes.client.models")
    except ImportError:
        pytest.skip("no types of Kubernetes here: pip install -r requirements/deploy.lock")
    for each in objects:
        group, _, version = each["apiVersion"].rpartition("/")
        prefix = {"": "", "apps": "", "batch": "", "policy": "", "networking.k8s.io": ""}[group] + version.capitalize()
        model = getattr(models, f"{prefix}{each['kind']}")
        model.model_validate(each)
        assert list(unknown(each, model, each["kind"])) == []


def unknown(value: Any, kind: Any, path: str) -> Iterator[str]:
    """Paths of fields that the API's types do not have: a server would drop them, or refuse them."""
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        kind = next((each for each in typing.get_args(kind) if each is not type(None)), Any)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Annotated:
        yield from unknown(value, arguments[0], path)
    elif origin is list:
        for place, each in enumerate(value):
            yield from unknown(each, arguments[0], f"{path}[{place}]")
    elif origin is dict:
        for name, each in value.items():
            yield from unknown(each, arguments[1], f"{path}.{name}")
    elif hasattr(kind, "model_fields") and isinstance(value, dict):
        fields = {
            field.serialization_alias or field.alias or name: field.annotation
            for name, field in kind.model_fields.items()
        }
        for name, each in value.items():
            if name in fields:
                yield from unknown(each, fields[name], f"{path}.{name}")
            else:
                yield f"{path}.{name}"


def test_every_pod_is_closed(objects: list[dict[str, Any]]) -> None:
    for name, pod in pods(objects):
        # KAFKA_PORT=tcp://... of a Service would be a setting.
        assert pod["enableServiceLinks"] is False, name
        assert pod["automountServiceAccountToken"] is False, name
        assert not any(pod.get(each) for each in ("hostNetwork", "hostPID", "hostIPC")), name
        security = pod["securityContext"]
        assert (security["runAsNonRoot"], security["runAsUser"]) == (True, 10001), name
        assert security["seccompProfile"] == {"type": "RuntimeDefault"}, name
        for container in pod["containers"]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]},
            }, name  # fmt: skip
            assert set(container["resources"]) == {"requests", "limits"}, name
            assert "memory" in container["resources"]["limits"], name
        assert not any("hostPath" in volume for volume in pod["volumes"]), name


def test_a_password_is_in_no_variable_and_each_pod_has_its_own_alone(objects: list[dict[str, Any]]) -> None:
    for name, pod in pods(objects):
        for each in pod["containers"][0].get("env", []):
            assert "secretKeyRef" not in each.get("valueFrom", {}), name
        secrets = {volume["name"]: volume["secret"] for volume in pod["volumes"] if "secret" in volume}
        if name in ("broker", "users"):
            continue
        # The nodes' key would make it a node.
        assert secrets["ca"]["items"] == [{"key": "ca.crt", "path": "ca.crt"}], name
        assert secrets["user"]["items"] == [{"key": name, "path": "password"}], name


def test_nothing_is_open_outside_the_cluster(objects: list[dict[str, Any]]) -> None:
    kinds = {each["kind"] for each in objects}
    assert not kinds & {"Ingress", "Secret", "ClusterRole", "RoleBinding"}
    for each in objects:
        if each["kind"] == "Service":
            assert each["spec"].get("type", "ClusterIP") == "ClusterIP"


def test_policies_let_nobody_in_but_whom_they_name(objects: list[dict[str, Any]]) -> None:
    policies = {each["metadata"]["name"]: each["spec"] for each in objects if each["kind"] == "NetworkPolicy"}
    assert policies.pop("nobody") == {"podSelector": {}, "policyTypes": ["Ingress"]}
    for name, policy in policies.items():
        for rule in policy["ingress"]:
            assert rule["from"], name
            assert rule["ports"], name
            assert all(each.get("podSelector") for each in rule["from"]), name


def test_what_pods_refer_to_is_there(objects: list[dict[str, Any]]) -> None:
    there = OUTSIDE | {(each["kind"], each["metadata"]["name"]) for each in objects}
    for name, pod in pods(objects):
        mounted = {volume["name"] for volume in pod["volumes"]}
        for volume in pod["volumes"]:
            if "configMap" in volume:
                assert ("ConfigMap", volume["configMap"]["name"]) in there, name
            if "secret" in volume:
                assert ("Secret", volume["secret"]["secretName"]) in there, name
            if "persistentVolumeClaim" in volume:
                assert ("PersistentVolumeClaim", volume["persistentVolumeClaim"]["claimName"]) in there, name
        claims = {"data"} if name == "broker" else set()
        for container in pod["containers"]:
            assert {mount["name"] for mount in container["volumeMounts"]} == mounted | claims, name
            # A variable can name those before it alone, and what it cannot name stays as it is written.
            known: set[str] = set()
            for each in container.get("env", []):
                assert set(_REFERENCE.findall(each.get("value", ""))) <= known, f"{name}: {each['name']}"
                known.add(each["name"])
            ports = {port["name"] for port in container.get("ports", [])}
            for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
                asked = container.get(probe, {})
                assert {each["port"] for each in asked.values() if isinstance(each, dict)} <= ports, name


def test_the_files_name_what_the_pods_have() -> None:
    """Files of settings and manifests say the same of paths, ports and users."""
    for directory in (BASE, KUBERNETES / "pipelines"):
        for file in directory.glob("config/*.properties"):
            text = file.read_text()
            assert "password=" not in text.replace('password="${user:/run/secrets/riacho/user:password}"', ""), (
                file.name
            )
            assert "PLAINTEXT" not in text, file.name
            for path in re.findall(r"/(?:run|etc|var)/[\w/]+", text):
                known = ("/run/secrets/riacho/", "/etc/riacho", "/var/lib/riacho")
                assert path.startswith(known), f"{file.name}: {path}"


def test_the_platform_takes_the_images_that_are_named() -> None:
    images = {
        overlay: {pod["containers"][0]["image"] for _, pod in pods(rendered(overlay))} for overlay in OVERLAYS[1:]
    }
    assert images == {
        "overlays/trial": {"riacho:0.1.0", "riacho:0.1.0-pipelines"},
        "overlays/production": {"registry.example/riacho:0.1.0", "registry.example/riacho:0.1.0-pipelines"},
    }
