import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.AbortTransactionSpec;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTxnTimeoutException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TransactionalIdNotFoundException;

/** Transactions of version 2 (KIP-890), as this client speaks them when the cluster has them. */
public final class TransactionChecks extends Check {
    public TransactionChecks(String bootstrap, String prefix) {
        super(bootstrap, prefix);
    }

    public static void main(String[] args) throws Exception {
        try (TransactionChecks checks = new TransactionChecks(args[0], args[1])) {
            Method[] methods = TransactionChecks.class.getDeclaredMethods();
            Arrays.sort(methods, (one, other) -> one.getName().compareTo(other.getName()));
            for (Method method : methods) {
                if (method.getName().startsWith("check")) {
                    Checks.run(checks, method);
                }
            }
        }
        System.exit(0);
    }

    private KafkaProducer<String, String> transactional(String id, Map<String, String> more) {
        Map<String, String> config = new HashMap<>(more);
        config.put("transactional.id", id);
        config.put("max.block.ms", Long.toString(TIMEOUT_MS));
        return producer(config);
    }

    private KafkaProducer<String, String> started(String id) {
        KafkaProducer<String, String> producer = transactional(id, Map.of());
        producer.initTransactions();
        return producer;
    }

    private List<String> committed(String topic, int partitions, int count) {
        try (KafkaConsumer<String, String> reader = consumer(Map.of("isolation.level", "read_committed"))) {
            List<TopicPartition> all = IntStream.range(0, partitions).mapToObj(n -> new TopicPartition(topic, n)).toList();
            reader.assign(all);
            reader.seekToBeginning(all);
            List<String> values = new ArrayList<>(take(reader, count).stream().map(ConsumerRecord::value).toList());
            reader.poll(Duration.ofMillis(300)).forEach(record -> values.add(record.value()));
            return values;
        }
    }

    private long end(String topic, IsolationLevel level) throws Exception {
        TopicPartition partition = new TopicPartition(topic, 0);
        return admin.listOffsets(Map.of(partition, OffsetSpec.latest()), new ListOffsetsOptions(level))
            .partitionResult(partition).get().offset();
    }

    public void checkCommitsAndAborts() throws Exception {
        String topic = topic(3, Map.of());
        List<String> expected = new ArrayList<>();
        try (KafkaProducer<String, String> producer = started(unique())) {
            for (int round = 0; round < 20; round++) {
                producer.beginTransaction();
                for (int n = 0; n < 3; n++) {
                    String value = round + "-" + n;
                    producer.send(new ProducerRecord<>(topic, n, null, value));
                    if (round % 3 != 1) {
                        expected.add(value);
                    }
                }
                producer.flush();
                if (round % 3 == 1) {
                    producer.abortTransaction();
                } else {
                    producer.commitTransaction();
                }
            }
        }
        same(Set.copyOf(expected), Set.copyOf(committed(topic, 3, expected.size())), "committed values");
    }

    public void checkManyBatchesInOneTransaction() throws Exception {
        String topic = topic();
        try (KafkaProducer<String, String> producer = transactional(unique(), Map.of("batch.size", "100", "linger.ms", "0"))) {
            producer.initTransactions();
            producer.beginTransaction();
            for (int n = 0; n < 500; n++) {
                producer.send(new ProducerRecord<>(topic, 0, null, "value-" + n));
            }
            producer.commitTransaction();
        }
        same(IntStream.range(0, 500).mapToObj(n -> "value-" + n).toList(), committed(topic, 1, 500), "values in order");
    }

    public void checkEmptyTransactions() throws Exception {
        String topic = topic();
        try (KafkaProducer<String, String> producer = started(unique())) {
            producer.beginTransaction();
            producer.commitTransaction();
            producer.beginTransaction();
            producer.abortTransaction();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(topic, "after"));
            producer.commitTransaction();
        }
        same(List.of("after"), committed(topic, 1, 1), "values");
    }

    public void checkOpenTransactionHoldsBack() throws Exception {
        String topic = topic();
        try (KafkaProducer<String, String> producer = started(unique())) {
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(topic, "open")).get();
            fill(topic, 1, Map.of());
            same(0L, end(topic, IsolationLevel.READ_COMMITTED), "last stable offset");
            same(2L, end(topic, IsolationLevel.READ_UNCOMMITTED), "high watermark");
            producer.commitTransaction();
        }
        eventually(() -> end(topic, IsolationLevel.READ_COMMITTED) == 3);
        same(List.of("open", "value-0"), committed(topic, 1, 2), "values");
    }

    public void checkSecondProducerFencesTheFirst() throws Exception {
        String topic = topic();
        String id = unique();
        try (KafkaProducer<String, String> first = started(id)) {
            first.beginTransaction();
            first.send(new ProducerRecord<>(topic, "zombie")).get();
            try (KafkaProducer<String, String> second = started(id)) {
                second.beginTransaction();
                second.send(new ProducerRecord<>(topic, "heir")).get();
                second.commitTransaction();
                try {
                    first.commitTransaction();
                    throw new AssertionError("the first was not fenced");
                } catch (ProducerFencedException | InvalidProducerEpochException expected) {
                    // As it should be.
                }
            }
        }
        same(List.of("heir"), committed(topic, 1, 1), "values");
    }

    public void checkOffsetsOfATransaction() throws Exception {
        String input = topic();
        String output = topic();
        String group = unique();
        fill(input, 10, Map.of());
        TopicPartition partition = new TopicPartition(input, 0);
        Map<String, String> config = Map.of("group.id", group, "isolation.level", "read_committed");
        try (KafkaProducer<String, String> producer = started(unique()); KafkaConsumer<String, String> reader = consumer(config)) {
            reader.subscribe(List.of(input));
            List<ConsumerRecord<String, String>> read = take(reader, 10);
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(output, "dropped"));
            producer.sendOffsetsToTransaction(Map.of(partition, new OffsetAndMetadata(10)), reader.groupMetadata());
            producer.abortTransaction();
            same(true, reader.committed(Set.of(partition)).get(partition) == null, "nothing committed by an abort");
            producer.beginTransaction();
            for (ConsumerRecord<String, String> record : read) {
                producer.send(new ProducerRecord<>(output, "seen-" + record.value()));
            }
            producer.sendOffsetsToTransaction(Map.of(partition, new OffsetAndMetadata(10, "done")), reader.groupMetadata());
            producer.commitTransaction();
            OffsetAndMetadata committed = reader.committed(Set.of(partition)).get(partition);
            same(10L, committed.offset(), "committed offset");
            same("done", committed.metadata(), "committed metadata");
        }
        same(IntStream.range(0, 10).mapToObj(n -> "seen-value-" + n).toList(), committed(output, 1, 10), "output");
    }

    public void checkOffsetsAlone() throws Exception {
        String input = topic();
        String group = unique();
        TopicPartition partition = new TopicPartition(input, 0);
        try (KafkaProducer<String, String> producer = started(unique()); KafkaConsumer<String, String> reader = consumer(Map.of("group.id", group))) {
            for (long offset = 1; offset <= 5; offset++) {
                producer.beginTransaction();
                producer.sendOffsetsToTransaction(Map.of(partition, new OffsetAndMetadata(offset)),
                    new org.apache.kafka.clients.consumer.ConsumerGroupMetadata(group));
                producer.commitTransaction();
                same(offset, reader.committed(Set.of(partition)).get(partition).offset(), "committed offset");
            }
        }
    }

    public void checkTimeoutAborts() throws Exception {
        String topic = topic();
        try (KafkaProducer<String, String> producer = transactional(unique(), Map.of("transaction.timeout.ms", "1000"))) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(topic, "late")).get();
            eventually(() -> end(topic, IsolationLevel.READ_COMMITTED) == 2);
            boolean failed = false;
            try {
                producer.send(new ProducerRecord<>(topic, "later")).get();
                producer.commitTransaction();
            } catch (Exception expected) {
                failed = true;
            }
            same(true, failed, "a commit after the timeout fails");
        }
        fill(topic, 1, Map.of());
        same(List.of("value-0"), committed(topic, 1, 1), "values");
    }

    public void checkTooLongATimeout() throws Exception {
        try (KafkaProducer<String, String> producer = transactional(unique(), Map.of("transaction.timeout.ms", "900001"))) {
            refused(KafkaException.class, () -> {
                try {
                    producer.initTransactions();
                } catch (InvalidTxnTimeoutException expected) {
                    throw expected;
                }
                return "taken";
            });
        }
    }

    public void checkDescribeAndList() throws Exception {
        String topic = topic(2, Map.of());
        String id = unique();
        refused(TransactionalIdNotFoundException.class, () -> admin.describeTransactions(List.of(id)).description(id).get());
        try (KafkaProducer<String, String> producer = started(id)) {
            same(TransactionState.EMPTY, admin.describeTransactions(List.of(id)).description(id).get().state(), "state");
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(topic, 1, null, "one")).get();
            TransactionDescription open = admin.describeTransactions(List.of(id)).description(id).get();
            same(TransactionState.ONGOING, open.state(), "state");
            same(Set.of(new TopicPartition(topic, 1)), open.topicPartitions(), "partitions");
            same(60_000L, open.transactionTimeoutMs(), "timeout");
            same(true, open.transactionStartTimeMs().isPresent(), "start time");
            Collection<TransactionListing> ongoing = admin.listTransactions(
                new ListTransactionsOptions().filterStates(Set.of(TransactionState.ONGOING))).all().get();
            same(true, ongoing.stream().anyMatch(each -> each.transactionalId().equals(id)), "listed as ongoing");
            Collection<TransactionListing> named = admin.listTransactions(
                new ListTransactionsOptions().filterOnTransactionalIdPattern(id)).all().get();
            same(1, named.size(), "listed by pattern");
            TopicPartition partition = new TopicPartition(topic, 1);
            ProducerState state = admin.describeProducers(List.of(partition)).partitionResult(partition).get().activeProducers().get(0);
            same(open.producerId(), state.producerId(), "producer id");
            same(0L, state.currentTransactionStartOffset().getAsLong(), "start offset");
            producer.commitTransaction();
            eventually(() -> admin.describeTransactions(List.of(id)).description(id).get().state() == TransactionState.COMPLETE_COMMIT);
            state = admin.describeProducers(List.of(partition)).partitionResult(partition).get().activeProducers().get(0);
            same(false, state.currentTransactionStartOffset().isPresent(), "no transaction open");
        }
    }

    public void checkAbortByAdministrator() throws Exception {
        String topic = topic();
        TopicPartition partition = new TopicPartition(topic, 0);
        try (KafkaProducer<String, String> producer = started(unique())) {
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(topic, "hanging")).get();
            ProducerState state = admin.describeProducers(List.of(partition)).partitionResult(partition).get().activeProducers().get(0);
            admin.abortTransaction(new AbortTransactionSpec(partition, state.producerId(), (short) state.producerEpoch(), 0)).all().get();
            eventually(() -> end(topic, IsolationLevel.READ_COMMITTED) == 2);
        }
    }

    public void checkFenceProducers() throws Exception {
        String topic = topic();
        String id = unique();
        try (KafkaProducer<String, String> producer = started(id)) {
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(topic, "fenced")).get();
            admin.fenceProducers(List.of(id)).all().get();
            eventually(() -> end(topic, IsolationLevel.READ_COMMITTED) == 2);
            try {
                producer.commitTransaction();
                throw new AssertionError("the producer was not fenced");
            } catch (ProducerFencedException | InvalidProducerEpochException expected) {
                // As it should be.
            }
        }
    }
}
