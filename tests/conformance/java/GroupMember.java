import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** One group member of the Java client: BOOTSTRAP TOPIC GROUP STRATEGY [INSTANCE]. See group_member.py for its lines. */
public final class GroupMember {
    private static volatile boolean leaving = false;

    private static void sayOwned(KafkaConsumer<String, String> member) {
        String owned = member.assignment().stream()
            .map(TopicPartition::partition).sorted().map(String::valueOf).collect(Collectors.joining(","));
        System.out.println("{\"assigned\": [" + owned + "]}");
    }

    public static void main(String[] args) throws Exception {
        Properties config = new Properties();
        config.put("bootstrap.servers", args[0]);
        config.put("group.id", args[2]);
        if (args[3].equals("consumer")) {
            config.put("group.protocol", "consumer");
        } else {
            config.put("group.protocol", "classic");
            config.put("partition.assignment.strategy", args[3].equals("range")
                ? "org.apache.kafka.clients.consumer.RangeAssignor"
                : "org.apache.kafka.clients.consumer.CooperativeStickyAssignor");
            config.put("session.timeout.ms", System.getenv().getOrDefault("SESSION_TIMEOUT_MS", "6000"));
            config.put("heartbeat.interval.ms", "300");
        }
        if (args.length > 4) {
            config.put("group.instance.id", args[4]);
        }
        config.put("auto.offset.reset", "earliest");
        config.put("enable.auto.commit", "false");
        config.put("key.deserializer", "org.apache.kafka.common.serialization.StringDeserializer");
        config.put("value.deserializer", "org.apache.kafka.common.serialization.StringDeserializer");
        Thread main = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            leaving = true;
            try {
                main.join(10_000);
            } catch (InterruptedException ignored) {
                Thread.currentThread().interrupt();
            }
        }));
        try (KafkaConsumer<String, String> member = new KafkaConsumer<>(config)) {
            member.subscribe(List.of(args[1]), new ConsumerRebalanceListener() {
                @Override
                public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                    if (!partitions.isEmpty()) {
                        sayOwned(member);
                    }
                }

                @Override
                public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                    List<TopicPartition> kept = member.assignment().stream().filter(p -> !partitions.contains(p)).toList();
                    String owned = kept.stream().map(p -> "" + p.partition()).sorted().collect(Collectors.joining(","));
                    System.out.println("{\"assigned\": [" + owned + "]}");
                }
            });
            while (!leaving) {
                ConsumerRecords<String, String> polled = member.poll(Duration.ofMillis(100));
                Map<TopicPartition, Long> next = new HashMap<>();
                polled.partitions().forEach(p -> next.put(p, polled.records(p).get(0).offset()));
                for (ConsumerRecord<String, String> record : polled) {
                    TopicPartition partition = new TopicPartition(record.topic(), record.partition());
                    try {
                        member.commitSync(Map.of(partition, new OffsetAndMetadata(record.offset() + 1)));
                    } catch (KafkaException rebalanced) {
                        next.keySet().retainAll(member.assignment());
                        next.forEach(member::seek);
                        break;
                    }
                    next.put(partition, record.offset() + 1);
                    System.out.println("{\"partition\": " + record.partition() + ", \"offset\": " + record.offset()
                        + ", \"value\": \"" + record.value() + "\"}");
                }
            }
        }
    }
}
