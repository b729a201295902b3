"""The controller: what a request on the cluster's metadata comes to, as records and a reply.

It reads an image and changes nothing; whoever drives it appends the records, applies them, and only then lets the
reply go. The rules live beside their nouns, one file for each kind of request (`topic_creation`, `reassignment`,
`broker_heartbeat`, ...); what they have in common is below them (`leadership`, `partition_change`). This is the one
door to them.
"""

# Long because: a method a request, few lines each; what they decide is in the files of their nouns.
from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from riacho.base.decision import Decision
from riacho.metadata.bootstrap import decide_bootstrap
from riacho.metadata.config_changes import (
    Change,
    ChangeResult,
    Operation,
    ResourceChange,
    decide_config_changes,
)
from riacho.metadata.credentials.acls import decide_create_acls, decide_delete_acls
from riacho.metadata.credentials.delegation_token_requests import (
    decide_create_token,
    decide_expire_token,
    decide_renew_token,
    decide_sweep_tokens,
)
from riacho.metadata.credentials.scram_changes import decide_alter_scram_credentials
from riacho.metadata.feature_updates import decide_update_features
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.records import MetadataRecord
from riacho.metadata.members.broker_heartbeat import decide_fence_brokers, decide_heartbeat
from riacho.metadata.members.directory_assignment import decide_assign_replicas_to_dirs
from riacho.metadata.members.heartbeats import BrokerHeartbeats
from riacho.metadata.members.registration import (
    decide_register_broker,
    decide_register_controller,
    decide_unregister_broker,
)
from riacho.metadata.partitions.alter_partition import decide_alter_partition
from riacho.metadata.partitions.leader_election import (
    decide_balance_leaders,
    decide_elect_leaders,
    decide_elect_unclean,
)
from riacho.metadata.partitions.leadership import LeadershipRules
from riacho.metadata.partitions.mutation_quota import RecordMutations
from riacho.metadata.partitions.partition_creation import decide_create_partitions
from riacho.metadata.partitions.partition_updates import InContact, release_absent
from riacho.metadata.partitions.reassignment import decide_alter_reassignments, list_reassignments
from riacho.metadata.partitions.recovery_election import Asked, PendingElection, decide_recover
from riacho.metadata.partitions.topic_creation import TopicCreation
from riacho.metadata.partitions.topic_deletion import decide_delete_topics
from riacho.metadata.producer_ids import decide_allocate_producer_ids
from riacho.metadata.settings.broker_values import BrokerValues
from riacho.metadata.settings.client_quota_changes import decide_alter_client_quotas
from riacho.wire.messages import alter_configs_response, incremental_alter_configs_response
from riacho.wire.messages.allocate_producer_ids_request import AllocateProducerIdsRequest
from riacho.wire.messages.allocate_producer_ids_response import AllocateProducerIdsResponse
from riacho.wire.messages.alter_client_quotas_request import AlterClientQuotasRequest
from riacho.wire.messages.alter_client_quotas_response import AlterClientQuotasResponse
from riacho.wire.messages.alter_configs_request import AlterConfigsRequest
from riacho.wire.messages.alter_configs_response import AlterConfigsResponse
from riacho.wire.messages.alter_partition_reassignments_request import AlterPartitionReassignmentsRequest
from riacho.wire.messages.alter_partition_reassignments_response import AlterPartitionReassignmentsResponse
from riacho.wire.messages.alter_partition_request import AlterPartitionRequest
from riacho.wire.messages.alter_partition_response import AlterPartitionResponse
from riacho.wire.messages.alter_user_scram_credentials_request import AlterUserScramCredentialsRequest
from riacho.wire.messages.alter_user_scram_credentials_response import AlterUserScramCredentialsResponse
from riacho.wire.messages.assign_replicas_to_dirs_request import AssignReplicasToDirsRequest
from riacho.wire.messages.assign_replicas_to_dirs_response import AssignReplicasToDirsResponse
from riacho.wire.messages.broker_heartbeat_request import BrokerHeartbeatRequest
from riacho.wire.messages.broker_heartbeat_response import BrokerHeartbeatResponse
from riacho.wire.messages.broker_registration_request import BrokerRegistrationRequest
from riacho.wire.messages.broker_registration_response import BrokerRegistrationResponse
from riacho.wire.messages.controller_registration_request import ControllerRegistrationRequest
from riacho.wire.messages.controller_registration_response import ControllerRegistrationResponse
from riacho.wire.messages.create_acls_request import CreateAclsRequest
from riacho.wire.messages.create_acls_response import CreateAclsResponse
from riacho.wire.messages.create_delegation_token_request import CreateDelegationTokenRequest
from riacho.wire.messages.create_delegation_token_response import CreateDelegationTokenResponse
from riacho.wire.messages.create_partitions_request import CreatePartitionsRequest
from riacho.wire.messages.create_partitions_response import CreatePartitionsResponse
from riacho.wire.messages.create_topics_request import CreateTopicsRequest
from riacho.wire.messages.create_topics_response import CreateTopicsResponse
from riacho.wire.messages.delete_acls_request import DeleteAclsRequest
from riacho.wire.messages.delete_acls_response import DeleteAclsResponse
from riacho.wire.messages.delete_topics_request import DeleteTopicsRequest
from riacho.wire.messages.delete_topics_response import DeleteTopicsResponse
from riacho.wire.messages.elect_leaders_request import ElectLeadersRequest
from riacho.wire.messages.elect_leaders_response import ElectLeadersResponse
from riacho.wire.messages.expire_delegation_token_request import ExpireDelegationTokenRequest
from riacho.wire.messages.expire_delegation_token_response import ExpireDelegationTokenResponse
from riacho.wire.messages.incremental_alter_configs_request import IncrementalAlterConfigsRequest
from riacho.wire.messages.incremental_alter_configs_response import IncrementalAlterConfigsResponse
from riacho.wire.messages.list_partition_reassignments_request import ListPartitionReassignmentsRequest
from riacho.wire.messages.list_partition_reassignments_response import ListPartitionReassignmentsResponse
from riacho.wire.messages.renew_delegation_token_request import RenewDelegationTokenRequest
from riacho.wire.messages.renew_delegation_token_response import RenewDelegationTokenResponse
from riacho.wire.messages.unregister_broker_request import UnregisterBrokerRequest
from riacho.wire.messages.unregister_broker_response import UnregisterBrokerResponse
from riacho.wire.messages.update_features_request import UpdateFeaturesRequest
from riacho.wire.messages.update_features_response import UpdateFeaturesResponse


@dataclass(frozen=True, slots=True)
class Controller:
    image: MetadataImage
    values: BrokerValues
    new_uuid: Callable[[], bytes]

    def create_topics(
        self, request: CreateTopicsRequest, mutations: RecordMutations | None = None
    ) -> Decision[MetadataRecord, CreateTopicsResponse]:
        return TopicCreation(self.image, self.values, self.new_uuid, self._start(), mutations).decide(request)

    def delete_topics(
        self, request: DeleteTopicsRequest, version: int, mutations: RecordMutations | None = None
    ) -> Decision[MetadataRecord, DeleteTopicsResponse]:
        return decide_delete_topics(self.image, self.values, request, version, mutations)

    def create_partitions(
        self, request: CreatePartitionsRequest, mutations: RecordMutations | None = None
    ) -> Decision[MetadataRecord, CreatePartitionsResponse]:
        return decide_create_partitions(self.image, request, self._start(), mutations)

    def allocate_producer_ids(
        self, request: AllocateProducerIdsRequest
    ) -> Decision[MetadataRecord, AllocateProducerIdsResponse]:
        return decide_allocate_producer_ids(self.image, request)

    # The cluster

    def bootstrap(self, formatted: Sequence[MetadataRecord] = ()) -> Decision[MetadataRecord, None]:
        """The first records of a cluster; none where there are features already."""
        return Decision(reply=None, records=decide_bootstrap(self.image, self.values, formatted))

    def register_controller(
        self, request: ControllerRegistrationRequest
    ) -> Decision[MetadataRecord, ControllerRegistrationResponse]:
        return decide_register_controller(self.image, request)

    def update_features(
        self, request: UpdateFeaturesRequest, version: int, kraft_version: int = 0
    ) -> Decision[MetadataRecord, UpdateFeaturesResponse]:
        return decide_update_features(self.image, self.values, request, version, kraft_version)

    # Brokers

    def register_broker(
        self,
        request: BrokerRegistrationRequest,
        version: int,
        heartbeats: BrokerHeartbeats | None = None,
        now_ms: int | None = None,
        in_contact: InContact = None,
    ) -> Decision[MetadataRecord, BrokerRegistrationResponse]:
        """With `heartbeats`, another incarnation is refused while the one on record is in touch."""
        return decide_register_broker(self.rules, request, version, heartbeats, now_ms, in_contact)

    def heartbeat(
        self, request: BrokerHeartbeatRequest, heartbeats: BrokerHeartbeats, now_ms: int
    ) -> Decision[MetadataRecord, BrokerHeartbeatResponse]:
        return decide_heartbeat(self.rules, request, heartbeats, now_ms)

    def fence_brokers(self, broker_ids: Sequence[int], in_contact: InContact = None) -> Decision[MetadataRecord, None]:
        return Decision(reply=None, records=decide_fence_brokers(self.rules, broker_ids, in_contact))

    def release_absent(self, in_contact: Collection[int]) -> Decision[MetadataRecord, None]:
        return Decision(reply=None, records=release_absent(self.rules, in_contact))

    def recover_leaders(
        self, partitions: Collection[PendingElection], answers: Mapping[int, Asked]
    ) -> Decision[MetadataRecord, None]:
        return Decision(reply=None, records=decide_recover(self.rules, partitions, answers))

    def unregister_broker(
        self,
        request: UnregisterBrokerRequest,
        heartbeats: BrokerHeartbeats | None = None,
        now_ms: int | None = None,
    ) -> Decision[MetadataRecord, UnregisterBrokerResponse]:
        """With `heartbeats`, a broker that is in touch is refused."""
        return decide_unregister_broker(self.rules, request, heartbeats, now_ms)

    # Partitions

    def alter_partition(
        self, request: AlterPartitionRequest, version: int
    ) -> Decision[MetadataRecord, AlterPartitionResponse]:
        return decide_alter_partition(self.rules, request, version)

    def elect_leaders(
        self, request: ElectLeadersRequest, version: int
    ) -> Decision[MetadataRecord, ElectLeadersResponse]:
        return decide_elect_leaders(self.rules, request, version)

    def balance_leaders(self) -> Decision[MetadataRecord, None]:
        return Decision(reply=None, records=decide_balance_leaders(self.rules))

    def elect_unclean(self) -> Decision[MetadataRecord, None]:
        return Decision(reply=None, records=decide_elect_unclean(self.rules))

    def alter_partition_reassignments(
        self, request: AlterPartitionReassignmentsRequest, version: int
    ) -> Decision[MetadataRecord, AlterPartitionReassignmentsResponse]:
        return decide_alter_reassignments(self.rules, request)

    def list_partition_reassignments(
        self, request: ListPartitionReassignmentsRequest
    ) -> Decision[MetadataRecord, ListPartitionReassignmentsResponse]:
        return Decision(reply=list_reassignments(self.image, request))

    def assign_replicas_to_dirs(
        self, request: AssignReplicasToDirsRequest
    ) -> Decision[MetadataRecord, AssignReplicasToDirsResponse]:
        return decide_assign_replicas_to_dirs(self.rules, request)

    # Access control

    def create_acls(self, request: CreateAclsRequest) -> Decision[MetadataRecord, CreateAclsResponse]:
        return decide_create_acls(self.image, request, self.new_uuid)

    def delete_acls(self, request: DeleteAclsRequest) -> Decision[MetadataRecord, DeleteAclsResponse]:
        return decide_delete_acls(self.image, request)

    # Settings

    def alter_configs(self, request: AlterConfigsRequest) -> Decision[MetadataRecord, AlterConfigsResponse]:
        asked = [
            ResourceChange(
                resource.resource_type,
                resource.resource_name,
                [Change(config.name, Operation.SET, config.value) for config in resource.configs],
                replaces=True,
            )
            for resource in request.resources
        ]
        records, results = decide_config_changes(self.image, self.values, asked)
        reply = AlterConfigsResponse(
            responses=[
                alter_configs_response.AlterConfigsResourceResponse(*_response_fields(result)) for result in results
            ]
        )
        return Decision(reply=reply, records=[] if request.validate_only else records)

    def incremental_alter_configs(
        self, request: IncrementalAlterConfigsRequest
    ) -> Decision[MetadataRecord, IncrementalAlterConfigsResponse]:
        asked = [
            ResourceChange(
                resource.resource_type,
                resource.resource_name,
                [Change(config.name, config.config_operation, config.value) for config in resource.configs],
            )
            for resource in request.resources
        ]
        records, results = decide_config_changes(self.image, self.values, asked)
        reply = IncrementalAlterConfigsResponse(
            responses=[
                incremental_alter_configs_response.AlterConfigsResourceResponse(*_response_fields(result))
                for result in results
            ]
        )
        return Decision(reply=reply, records=[] if request.validate_only else records)

    def alter_client_quotas(
        self, request: AlterClientQuotasRequest, unknown_hosts: frozenset[str] = frozenset()
    ) -> Decision[MetadataRecord, AlterClientQuotasResponse]:
        return decide_alter_client_quotas(self.image, request, unknown_hosts)

    # Credentials

    def alter_user_scram_credentials(
        self, request: AlterUserScramCredentialsRequest
    ) -> Decision[MetadataRecord, AlterUserScramCredentialsResponse]:
        return decide_alter_scram_credentials(self.image, request)

    def create_delegation_token(
        self, request: CreateDelegationTokenRequest, requester: str, token_id: str, now_ms: int
    ) -> Decision[MetadataRecord, CreateDelegationTokenResponse]:
        return decide_create_token(self.values, request, requester, token_id, now_ms)

    def renew_delegation_token(
        self, request: RenewDelegationTokenRequest, requester: str, now_ms: int
    ) -> Decision[MetadataRecord, RenewDelegationTokenResponse]:
        return decide_renew_token(self.image, self.values, request, requester, now_ms)

    def expire_delegation_token(
        self, request: ExpireDelegationTokenRequest, requester: str, now_ms: int
    ) -> Decision[MetadataRecord, ExpireDelegationTokenResponse]:
        return decide_expire_token(self.image, self.values, request, requester, now_ms)

    def sweep_delegation_tokens(self, now_ms: int) -> Decision[MetadataRecord, None]:
        return decide_sweep_tokens(self.image, now_ms)

    @property
    def rules(self) -> LeadershipRules:
        return LeadershipRules(self.image, self.values)

    def _start(self) -> int:
        return int.from_bytes(self.new_uuid()[:4], "big")


def _response_fields(result: ChangeResult) -> tuple[int, str | None, int, str]:
    """(error code, error message, resource type, resource name): the fields of both responses, in their order."""
    error = result.error
    if error is None:
        return 0, None, result.resource_type, result.name
    return error.code, error.detail or None, result.resource_type, result.name
