import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;

/** What the checks share: clients, unique topics, reading a number of records, assertions. */
public abstract class Check implements AutoCloseable {
    protected static final long TIMEOUT_MS = 20_000;
    protected final String bootstrap;
    protected final Admin admin;
    private final String prefix;
    private int serial = 0;

    protected Check(String bootstrap, String prefix) {
        this.bootstrap = bootstrap;
        this.prefix = prefix + "-" + getClass().getSimpleName();
        this.admin = Admin.create(Map.of("bootstrap.servers", bootstrap));
    }

    @Override
    public void close() {
        admin.close();
    }

    protected String unique() {
        serial += 1;
        return prefix + "-" + serial;
    }

    protected String topic(int partitions, Map<String, String> configs) throws Exception {
        String name = unique();
        admin.createTopics(List.of(new NewTopic(name, Optional.of(partitions), Optional.empty()).configs(configs))).all().get();
        eventually(() -> admin.describeTopics(List.of(name)).allTopicNames().get().get(name).partitions().size() == partitions);
        return name;
    }

    protected String topic() throws Exception {
        return topic(1, Map.of());
    }

    protected KafkaProducer<String, String> producer(Map<String, String> more) {
        Properties config = new Properties();
        config.put("bootstrap.servers", bootstrap);
        config.put("key.serializer", "org.apache.kafka.common.serialization.StringSerializer");
        config.put("value.serializer", "org.apache.kafka.common.serialization.StringSerializer");
        config.putAll(more);
        return new KafkaProducer<>(config);
    }

    protected KafkaConsumer<String, String> consumer(Map<String, String> more) {
        Properties config = new Properties();
        config.put("bootstrap.servers", bootstrap);
        config.put("group.protocol", "classic");
        config.put("auto.offset.reset", "earliest");
        config.put("enable.auto.commit", "false");
        config.put("metadata.max.age.ms", "500");
        config.put("key.deserializer", "org.apache.kafka.common.serialization.StringDeserializer");
        config.put("value.deserializer", "org.apache.kafka.common.serialization.StringDeserializer");
        config.putAll(more);
        return new KafkaConsumer<>(config);
    }

    protected List<RecordMetadata> fill(String topic, int count, Map<String, String> config) throws Exception {
        List<RecordMetadata> stored = new ArrayList<>();
        try (KafkaProducer<String, String> producer = producer(config)) {
            List<java.util.concurrent.Future<RecordMetadata>> sent = new ArrayList<>();
            for (int n = 0; n < count; n++) {
                sent.add(producer.send(new ProducerRecord<>(topic, 0, 1_000L + n, "key-" + n, "value-" + n)));
            }
            producer.flush();
            for (var one : sent) {
                stored.add(one.get());
            }
        }
        return stored;
    }

    protected List<ConsumerRecord<String, String>> take(KafkaConsumer<String, String> source, int count) {
        List<ConsumerRecord<String, String>> taken = new ArrayList<>();
        long deadline = System.currentTimeMillis() + TIMEOUT_MS;
        while (taken.size() < count) {
            same(true, System.currentTimeMillis() < deadline, taken.size() + " of " + count + " records in time");
            source.poll(Duration.ofMillis(100)).forEach(taken::add);
        }
        return taken;
    }

    protected List<ConsumerRecord<String, String>> readAll(String topic, int count) {
        try (KafkaConsumer<String, String> reader = consumer(Map.of())) {
            TopicPartition partition = new TopicPartition(topic, 0);
            reader.assign(List.of(partition));
            reader.seekToBeginning(List.of(partition));
            return take(reader, count);
        }
    }

    protected static void eventually(Callable<Boolean> question) throws Exception {
        long deadline = System.currentTimeMillis() + TIMEOUT_MS;
        while (true) {
            try {
                if (question.call()) {
                    return;
                }
            } catch (ExecutionException notYet) {
                if (System.currentTimeMillis() > deadline) {
                    throw notYet;
                }
            }
            same(true, System.currentTimeMillis() < deadline, "the condition came true in time");
            Thread.sleep(50);
        }
    }

    protected static void same(Object expected, Object actual, String what) {
        if (!expected.equals(actual)) {
            throw new AssertionError(what + ": expected " + expected + " but was " + actual);
        }
    }

    /** The call must fail with this exception, bare or as the cause. */
    protected static void refused(Class<? extends Exception> expected, Callable<?> call) throws Exception {
        Object answer;
        try {
            answer = call.call();
        } catch (Exception error) {
            Throwable cause = error instanceof ExecutionException ? error.getCause() : error;
            if (!expected.isInstance(cause)) {
                throw new AssertionError("expected " + expected.getSimpleName() + " but was " + cause, cause);
            }
            return;
        }
        throw new AssertionError("expected " + expected.getSimpleName() + " but got " + answer);
    }
}
