import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ApplicationRecoverableException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;

/** The worker of exactly_once_worker.py with the Java client: BOOTSTRAP GROUP TRANSACTIONAL_ID SOURCE TARGET. */
public final class ExactlyOnceWorker {
    private static final Random CHANCE = new Random();

    public static void main(String[] args) {
        Properties common = new Properties();
        common.put("bootstrap.servers", args[0]);
        Properties reading = new Properties();
        reading.putAll(common);
        reading.put("group.id", args[1]);
        reading.put("enable.auto.commit", "false");
        reading.put("auto.offset.reset", "earliest");
        reading.put("isolation.level", "read_committed");
        reading.put("session.timeout.ms", "6000");
        reading.put("heartbeat.interval.ms", "300");
        reading.put("max.poll.records", "25");
        reading.put("key.deserializer", "org.apache.kafka.common.serialization.StringDeserializer");
        reading.put("value.deserializer", "org.apache.kafka.common.serialization.StringDeserializer");
        Properties writing = new Properties();
        writing.putAll(common);
        writing.put("transactional.id", args[2]);
        writing.put("transaction.timeout.ms", "3000");
        writing.put("key.serializer", "org.apache.kafka.common.serialization.StringSerializer");
        writing.put("value.serializer", "org.apache.kafka.common.serialization.StringSerializer");
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(reading);
            KafkaProducer<String, String> producer = new KafkaProducer<>(writing)) {
            producer.initTransactions();
            consumer.subscribe(List.of(args[3]));
            System.out.println("ready");
            while (true) {
                ConsumerRecords<String, String> records = consumer.poll(Duration.ofMillis(200));
                if (!records.isEmpty()) {
                    transact(consumer, producer, records, args[4]);
                }
            }
        } catch (KafkaException error) {
            System.out.println("ended " + error);
            System.exit(3);
        }
    }

    private static void transact(
        KafkaConsumer<String, String> consumer, KafkaProducer<String, String> producer,
        ConsumerRecords<String, String> records, String target) {
        int partitions = producer.partitionsFor(target).size();
        try {
            producer.beginTransaction();
            Map<TopicPartition, OffsetAndMetadata> ends = new HashMap<>();
            for (ConsumerRecord<String, String> record : records) {
                int account = (int) (Long.parseLong(record.value()) % partitions);
                producer.send(new ProducerRecord<>(target, account, null, "debit " + record.value()));
                producer.send(
                    new ProducerRecord<>(target, (account + 1) % partitions, null, "credit " + record.value()));
                ends.put(new TopicPartition(record.topic(), record.partition()),
                    new OffsetAndMetadata(record.offset() + 1));
            }
            producer.sendOffsetsToTransaction(ends, consumer.groupMetadata());
            if (CHANCE.nextInt(10) == 0) {
                abort(consumer, producer);
            } else {
                producer.commitTransaction();
                System.out.println("committed " + records.count());
            }
        } catch (OutOfOrderSequenceException | AuthorizationException | ApplicationRecoverableException error) {
            throw error;
        } catch (KafkaException error) {
            abort(consumer, producer);
        }
    }

    private static void abort(KafkaConsumer<String, String> consumer, KafkaProducer<String, String> producer) {
        producer.abortTransaction();
        Map<TopicPartition, OffsetAndMetadata> committed = consumer.committed(consumer.assignment());
        for (TopicPartition partition : consumer.assignment()) {
            OffsetAndMetadata place = committed.get(partition);
            if (place == null) {
                consumer.seekToBeginning(List.of(partition));
            } else {
                consumer.seek(partition, place.offset());
            }
        }
    }

    private ExactlyOnceWorker() {
    }
}
