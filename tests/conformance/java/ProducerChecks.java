import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.record.TimestampType;

public final class ProducerChecks extends Check {
    public ProducerChecks(String bootstrap, String prefix) {
        super(bootstrap, prefix);
    }

    private void roundTrip(Map<String, String> config) throws Exception {
        String topic = topic();
        fill(topic, 300, config);
        List<String> values = readAll(topic, 300).stream().map(ConsumerRecord::value).toList();
        same(IntStream.range(0, 300).mapToObj(n -> "value-" + n).toList(), values, "values");
    }

    public void checkAcksNone() throws Exception {
        roundTrip(Map.of("acks", "0", "enable.idempotence", "false"));
    }

    public void checkAcksLeader() throws Exception {
        roundTrip(Map.of("acks", "1", "enable.idempotence", "false"));
    }

    public void checkCodecGzip() throws Exception {
        roundTrip(Map.of("compression.type", "gzip", "linger.ms", "20"));
    }

    public void checkCodecSnappy() throws Exception {
        roundTrip(Map.of("compression.type", "snappy", "linger.ms", "20"));
    }

    public void checkCodecLz4() throws Exception {
        roundTrip(Map.of("compression.type", "lz4", "linger.ms", "20"));
    }

    public void checkCodecZstd() throws Exception {
        roundTrip(Map.of("compression.type", "zstd", "linger.ms", "20"));
    }

    public void checkIdempotent() throws Exception {
        String topic = topic();
        Map<String, String> config = Map.of("enable.idempotence", "true", "batch.size", "200");
        List<Long> offsets = fill(topic, 500, config).stream().map(RecordMetadata::offset).toList();
        same(IntStream.range(0, 500).mapToObj(n -> (long) n).toList(), offsets, "offsets");
    }

    public void checkNullsAndHeaders() throws Exception {
        String topic = topic();
        try (KafkaProducer<String, String> producer = producer(Map.of())) {
            ProducerRecord<String, String> tombstone = new ProducerRecord<>(topic, "gone", null);
            tombstone.headers().add("a", new byte[] {1}).add("a", new byte[0]).add("null", null);
            producer.send(tombstone).get();
            producer.send(new ProducerRecord<>(topic, "keyless")).get();
        }
        List<ConsumerRecord<String, String>> found = readAll(topic, 2);
        same(true, found.get(0).value() == null && found.get(0).key().equals("gone"), "tombstone");
        same(3, found.get(0).headers().toArray().length, "headers");
        same(true, found.get(0).headers().toArray()[2].value() == null, "null header");
        same(true, found.get(1).key() == null, "keyless");
    }

    public void checkLogAppendTime() throws Exception {
        String topic = topic(1, Map.of("message.timestamp.type", "LogAppendTime"));
        long before = System.currentTimeMillis() - 5;
        RecordMetadata stored = fill(topic, 5, Map.of("compression.type", "lz4")).get(0);
        same(true, stored.timestamp() >= before, "stored timestamp");
        ConsumerRecord<String, String> found = readAll(topic, 5).get(4);
        same(TimestampType.LOG_APPEND_TIME, found.timestampType(), "timestamp type");
        same(true, found.timestamp() >= before, "read timestamp");
    }

    public void checkTooLarge() throws Exception {
        String topic = topic();
        try (KafkaProducer<String, String> producer = producer(Map.of("max.request.size", "5000000"))) {
            producer.send(new ProducerRecord<>(topic, "n".repeat(1_048_588 - 100))).get();
            refused(RecordTooLargeException.class,
                () -> producer.send(new ProducerRecord<>(topic, "a".repeat(1_048_600))).get());
        }
    }

    public void checkKeylessOnCompacted() throws Exception {
        String topic = topic(1, Map.of("cleanup.policy", "compact"));
        try (KafkaProducer<String, String> producer = producer(Map.of())) {
            refused(InvalidRecordException.class, () -> producer.send(new ProducerRecord<>(topic, "keyless")).get());
            same(0L, producer.send(new ProducerRecord<>(topic, "key", "value")).get().offset(), "offset");
        }
    }

    public void checkAutoCreate() throws Exception {
        try (KafkaProducer<String, String> producer = producer(Map.of())) {
            same(0L, producer.send(new ProducerRecord<>(unique(), "first")).get().offset(), "offset");
        }
    }
}
