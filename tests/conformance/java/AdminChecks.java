import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.DescribeClusterResult;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicCollection;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

public final class AdminChecks extends Check {
    public AdminChecks(String bootstrap, String prefix) {
        super(bootstrap, prefix);
    }

    public void checkTopics() throws Exception {
        String topic = topic(2, Map.of());
        refused(TopicExistsException.class, () -> admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get());
        admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(3))).all().get();
        eventually(() -> describe(topic).partitions().size() == 3);
        refused(InvalidPartitionsException.class,
            () -> admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(2))).all().get());
        same(true, admin.listTopics().names().get().contains(topic), "listed");
        admin.deleteTopics(TopicCollection.ofTopicIds(List.of(describe(topic).topicId()))).all().get();
        eventually(() -> !admin.listTopics().names().get().contains(topic));
        refused(UnknownTopicOrPartitionException.class, () -> describe(topic));
    }

    private TopicDescription describe(String topic) throws Exception {
        return admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic);
    }

    public void checkConfigs() throws Exception {
        String topic = topic(1, Map.of("retention.ms", "5000"));
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        ConfigEntry entry = configs(resource).get("retention.ms");
        same("5000", entry.value(), "retention.ms");
        same(ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG, entry.source(), "source");
        same(ConfigEntry.ConfigType.LONG, entry.type(), "type");
        Collection<AlterConfigOp> changes = List.of(
            new AlterConfigOp(new ConfigEntry("retention.ms", "6000"), AlterConfigOp.OpType.SET),
            new AlterConfigOp(new ConfigEntry("cleanup.policy", "compact"), AlterConfigOp.OpType.APPEND));
        admin.incrementalAlterConfigs(Map.of(resource, changes)).all().get();
        eventually(() -> configs(resource).get("retention.ms").value().equals("6000"));
        String policy = configs(resource).get("cleanup.policy").value();
        same(Set.of("delete", "compact"), Set.of(policy.split(",")), "cleanup.policy");
    }

    private Config configs(ConfigResource resource) throws Exception {
        return admin.describeConfigs(List.of(resource)).all().get().get(resource);
    }

    public void checkBrokerConfigs() throws Exception {
        String node = admin.describeCluster().nodes().get().iterator().next().idString();
        ConfigResource broker = new ConfigResource(ConfigResource.Type.BROKER, node);
        same("1048588", configs(broker).get("message.max.bytes").value(), "message.max.bytes");
        Collection<AlterConfigOp> change =
            List.of(new AlterConfigOp(new ConfigEntry("log.cleaner.threads", "2"), AlterConfigOp.OpType.SET));
        admin.incrementalAlterConfigs(Map.of(broker, change)).all().get();
        eventually(() -> configs(broker).get("log.cleaner.threads").source()
            == ConfigEntry.ConfigSource.DYNAMIC_BROKER_CONFIG);
        Collection<AlterConfigOp> undo =
            List.of(new AlterConfigOp(new ConfigEntry("log.cleaner.threads", ""), AlterConfigOp.OpType.DELETE));
        admin.incrementalAlterConfigs(Map.of(broker, undo)).all().get();
        eventually(() -> configs(broker).get("log.cleaner.threads").isDefault());
    }

    public void checkGroups() throws Exception {
        String topic = topic(2, Map.of());
        fill(topic, 5, Map.of());
        TopicPartition partition = new TopicPartition(topic, 0);
        try (KafkaConsumer<String, String> member = consumer(Map.of("group.id", topic, "group.instance.id", "fixed"))) {
            member.subscribe(List.of(topic));
            take(member, 5);
            member.commitSync();
            ConsumerGroupDescription group = group(topic);
            same(GroupState.STABLE, group.groupState(), "state");
            same(Set.of(partition, new TopicPartition(topic, 1)),
                group.members().iterator().next().assignment().topicPartitions(), "assignment");
            same("fixed", group.members().iterator().next().groupInstanceId().orElse(""), "instance id");
            refused(GroupNotEmptyException.class, () -> admin.deleteConsumerGroups(List.of(topic)).all().get());
            member.poll(Duration.ofMillis(10));
        }
        same(1, group(topic).members().size(), "a static member stays after close");
        admin.removeMembersFromConsumerGroup(topic, new RemoveMembersFromConsumerGroupOptions()).all().get();
        eventually(() -> group(topic).groupState() == GroupState.EMPTY);
        Set<String> listed = admin.listGroups().all().get().stream().map(g -> g.groupId()).collect(Collectors.toSet());
        same(true, listed.contains(topic), "listed");
        admin.alterConsumerGroupOffsets(topic, Map.of(partition, new OffsetAndMetadata(2, "moved"))).all().get();
        OffsetAndMetadata kept =
            admin.listConsumerGroupOffsets(topic).partitionsToOffsetAndMetadata().get().get(partition);
        same(new OffsetAndMetadata(2, "moved"), kept, "altered offset");
        admin.deleteConsumerGroupOffsets(topic, Set.of(partition)).all().get();
        same(false, admin.listConsumerGroupOffsets(topic).partitionsToOffsetAndMetadata().get().containsKey(partition),
            "deleted offset");
        admin.deleteConsumerGroups(List.of(topic)).all().get();
        refused(GroupIdNotFoundException.class, () -> admin.deleteConsumerGroups(List.of(topic)).all().get());
        refused(GroupIdNotFoundException.class, () -> group(topic));
    }

    private ConsumerGroupDescription group(String id) throws Exception {
        return admin.describeConsumerGroups(List.of(id)).all().get().get(id);
    }

    public void checkOffsetsAndRecords() throws Exception {
        String topic = topic();
        fill(topic, 10, Map.of("batch.size", "1"));
        TopicPartition partition = new TopicPartition(topic, 0);
        same(0L, offset(partition, OffsetSpec.earliest()), "earliest");
        same(10L, offset(partition, OffsetSpec.latest()), "latest");
        same(9L, offset(partition, OffsetSpec.maxTimestamp()), "max timestamp");
        same(3L, offset(partition, OffsetSpec.forTimestamp(1_003)), "by timestamp");
        same(0L, offset(partition, OffsetSpec.earliestLocal()), "earliest local");
        same(4L, admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(4)))
            .lowWatermarks().get(partition).get().lowWatermark(), "low watermark");
        same(4L, offset(partition, OffsetSpec.earliest()), "earliest after deletion");
    }

    private long offset(TopicPartition partition, OffsetSpec question) throws Exception {
        return admin.listOffsets(Map.of(partition, question)).all().get().get(partition).offset();
    }

    public void checkCluster() throws Exception {
        DescribeClusterResult cluster = admin.describeCluster();
        same(1, cluster.nodes().get().size(), "nodes");
        same(bootstrap, cluster.nodes().get().iterator().next().host() + ":"
            + cluster.nodes().get().iterator().next().port(), "address");
        same(22, cluster.clusterId().get().length(), "cluster id");
    }

    public void checkLogDirs() throws Exception {
        String topic = topic();
        fill(topic, 10, Map.of());
        int node = admin.describeCluster().nodes().get().iterator().next().id();
        Collection<LogDirDescription> dirs =
            admin.describeLogDirs(List.of(node)).allDescriptions().get().get(node).values();
        long size = dirs.stream().flatMap(d -> d.replicaInfos().entrySet().stream())
            .filter(e -> e.getKey().topic().equals(topic)).mapToLong(e -> e.getValue().size()).sum();
        same(true, size > 100, "size of the log");
    }

    public void checkFeatures() throws Exception {
        var features = admin.describeFeatures().featureMetadata().get();
        same(true, features.finalizedFeatures().containsKey("metadata.version"), "metadata.version");
    }

    public void checkProducers() throws Exception {
        String topic = topic();
        fill(topic, 3, Map.of());
        TopicPartition partition = new TopicPartition(topic, 0);
        var producers = admin.describeProducers(List.of(partition)).all().get().get(partition).activeProducers();
        same(1, producers.size(), "active producers");
        same(2, producers.get(0).lastSequence(), "last sequence");
    }

    public void checkReassignmentsAndQuorum() throws Exception {
        same(Map.of(), admin.listPartitionReassignments().reassignments().get(), "reassignments");
        same(true, admin.describeMetadataQuorum().quorumInfo().get().leaderId() >= 0, "quorum leader");
    }
}
