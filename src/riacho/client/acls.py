"""Access control entries, asked for, made and removed (KIP-140)."""

from __future__ import annotations

from collections.abc import Iterable

from riacho.base.acl import AclBinding, AclFilter
from riacho.client.cluster import Cluster, check
from riacho.wire.messages.create_acls_request import AclCreation, CreateAclsRequest
from riacho.wire.messages.create_acls_response import CreateAclsResponse
from riacho.wire.messages.delete_acls_request import DeleteAclsFilter, DeleteAclsRequest
from riacho.wire.messages.delete_acls_response import DeleteAclsResponse
from riacho.wire.messages.describe_acls_request import DescribeAclsRequest
from riacho.wire.messages.describe_acls_response import DescribeAclsResponse


def describe_acls(cluster: Cluster, wanted: AclFilter) -> list[AclBinding]:
    request = DescribeAclsRequest(
        resource_type_filter=wanted.resource_type,
        resource_name_filter=wanted.name,
        pattern_type_filter=wanted.pattern_type,
        principal_filter=wanted.principal,
        host_filter=wanted.host,
        operation=wanted.operation,
        permission_type=wanted.permission,
    )

    def work() -> DescribeAclsResponse:
        response = cluster.ask(request, DescribeAclsResponse)
        check(response.error_code, response.error_message)
        return response

    return [
        AclBinding(
            found.resource_type,
            found.resource_name,
            found.pattern_type,
            entry.principal,
            entry.host,
            entry.operation,
            entry.permission_type,
        )
        for found in cluster.retry(work).resources
        for entry in found.acls
    ]


def create_acls(cluster: Cluster, acls: Iterable[AclBinding]) -> None:
    """All of them; KafkaError for the first that was refused."""
    request = CreateAclsRequest(
        creations=[
            AclCreation(
                resource_type=acl.resource_type,
                resource_name=acl.name,
                resource_pattern_type=acl.pattern_type,
                principal=acl.principal,
                host=acl.host,
                operation=acl.operation,
                permission_type=acl.permission,
            )
            for acl in acls
        ]
    )

    def work() -> None:
        response = cluster.ask(request, CreateAclsResponse, cluster.controller())
        for result in response.results:
            check(result.error_code, result.error_message)

    cluster.retry(work)


def delete_acls(cluster: Cluster, filters: Iterable[AclFilter]) -> int:
    """How many entries are gone."""
    request = DeleteAclsRequest(
        filters=[
            DeleteAclsFilter(
                resource_type_filter=wanted.resource_type,
                resource_name_filter=wanted.name,
                pattern_type_filter=wanted.pattern_type,
                principal_filter=wanted.principal,
                host_filter=wanted.host,
                operation=wanted.operation,
                permission_type=wanted.permission,
            )
            for wanted in filters
        ]
    )

    def work() -> int:
        response = cluster.ask(request, DeleteAclsResponse, cluster.controller())
        for result in response.filter_results:
            check(result.error_code, result.error_message)
        return sum(len(result.matching_acls) for result in response.filter_results)

    return cluster.retry(work)
