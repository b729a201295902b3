import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;

public final class ConsumerChecks extends Check {
    public ConsumerChecks(String bootstrap, String prefix) {
        super(bootstrap, prefix);
    }

    public void checkGroupContinues() throws Exception {
        String topic = topic();
        fill(topic, 10, Map.of());
        TopicPartition partition = new TopicPartition(topic, 0);
        Map<String, String> config = Map.of("group.id", topic, "max.poll.records", "4");
        try (KafkaConsumer<String, String> first = consumer(config)) {
            first.subscribe(List.of(topic));
            same(4, take(first, 4).size(), "first part");
            first.commitSync(Map.of(partition, new OffsetAndMetadata(4, java.util.Optional.of(0), "so far")));
        }
        try (KafkaConsumer<String, String> second = consumer(config)) {
            second.subscribe(List.of(topic));
            same(4L, take(second, 6).get(0).offset(), "continues");
            OffsetAndMetadata kept = second.committed(Set.of(partition)).get(partition);
            same("so far", kept.metadata(), "metadata");
            same(0, kept.leaderEpoch().orElse(-1), "leader epoch");
        }
    }

    public void checkOffsetsByTimeAndEnds() throws Exception {
        String topic = topic();
        fill(topic, 10, Map.of("batch.size", "1"));
        TopicPartition partition = new TopicPartition(topic, 0);
        try (KafkaConsumer<String, String> reader = consumer(Map.of())) {
            OffsetAndTimestamp found = reader.offsetsForTimes(Map.of(partition, 1_004L)).get(partition);
            same(4L, found.offset(), "offset by time");
            same(1_004L, found.timestamp(), "its timestamp");
            same(0, found.leaderEpoch().orElse(-1), "its epoch");
            same(true, reader.offsetsForTimes(Map.of(partition, 9_000L)).get(partition) == null, "none later");
            same(0L, reader.beginningOffsets(List.of(partition)).get(partition), "beginning");
            same(10L, reader.endOffsets(List.of(partition)).get(partition), "end");
        }
    }

    public void checkSeekPauseResume() throws Exception {
        String topic = topic();
        fill(topic, 10, Map.of());
        TopicPartition partition = new TopicPartition(topic, 0);
        try (KafkaConsumer<String, String> reader = consumer(Map.of())) {
            reader.assign(List.of(partition));
            reader.seek(partition, 7);
            same(7L, take(reader, 3).get(0).offset(), "after seek");
            reader.pause(List.of(partition));
            fill(topic, 1, Map.of());
            same(0, reader.poll(Duration.ofMillis(300)).count(), "while paused");
            reader.resume(List.of(partition));
            same(10L, take(reader, 1).get(0).offset(), "after resume");
        }
    }

    public void checkOffsetOutOfRange() throws Exception {
        String topic = topic();
        fill(topic, 3, Map.of());
        TopicPartition partition = new TopicPartition(topic, 0);
        try (KafkaConsumer<String, String> reader = consumer(Map.of("auto.offset.reset", "none"))) {
            reader.assign(List.of(partition));
            reader.seek(partition, 1_000);
            refused(OffsetOutOfRangeException.class, () -> {
                eventually(() -> reader.poll(Duration.ofMillis(100)).count() > 0);
                return null;
            });
        }
    }

    public void checkPatternAndNewPartitions() throws Exception {
        String base = unique();
        Pattern pattern = Pattern.compile(Pattern.quote(base) + "-.*");
        try (KafkaConsumer<String, String> member = consumer(Map.of("group.id", base, "heartbeat.interval.ms", "300"))) {
            admin.createTopics(List.of(new org.apache.kafka.clients.admin.NewTopic(base + "-one", 1, (short) 1))).all().get();
            member.subscribe(pattern);
            eventually(() -> owned(member) == 1);
            admin.createTopics(List.of(new org.apache.kafka.clients.admin.NewTopic(base + "-two", 2, (short) 1))).all().get();
            eventually(() -> owned(member) == 3);
            admin.createPartitions(Map.of(base + "-one", NewPartitions.increaseTo(4))).all().get();
            eventually(() -> owned(member) == 6);
        }
    }

    private static int owned(KafkaConsumer<String, String> member) {
        member.poll(Duration.ofMillis(50));
        return member.assignment().size();
    }

    public void checkReadCommitted() throws Exception {
        String topic = topic();
        fill(topic, 5, Map.of());
        try (KafkaConsumer<String, String> reader = consumer(Map.of("isolation.level", "read_committed"))) {
            TopicPartition partition = new TopicPartition(topic, 0);
            reader.assign(List.of(partition));
            reader.seek(partition, 0);
            same(5, take(reader, 5).size(), "records");
            same(5L, reader.endOffsets(List.of(partition)).get(partition), "last stable offset");
        }
    }

    public void checkUnknownTopic() {
        try (KafkaConsumer<String, String> reader = consumer(Map.of("allow.auto.create.topics", "false"))) {
            String topic = unique();
            same(true, reader.partitionsFor(topic) == null || reader.partitionsFor(topic).isEmpty(), "no partitions");
            same(false, reader.listTopics().containsKey(topic), "not created");
        }
    }
}
