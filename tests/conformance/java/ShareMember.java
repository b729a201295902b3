import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;

/**
 * One member of a share group: BOOTSTRAP TOPIC GROUP WHAT, where WHAT is accept, release, reject or hold (which keeps
 * records without a word). Prints a line for each record, once what it says of it has been taken. SIGTERM lets it leave.
 */
public final class ShareMember {
    private static volatile boolean leaving = false;

    public static void main(String[] args) throws Exception {
        Properties config = new Properties();
        config.put("bootstrap.servers", args[0]);
        config.put("group.id", args[2]);
        config.put("client.id", "java-share-member");
        config.put("share.acknowledgement.mode", "explicit");
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
        try (KafkaShareConsumer<String, String> member = new KafkaShareConsumer<>(config)) {
            member.subscribe(List.of(args[1]));
            while (!leaving) {
                ConsumerRecords<String, String> polled = member.poll(Duration.ofMillis(200));
                for (ConsumerRecord<String, String> record : polled) {
                    if (!args[3].equals("hold")) {
                        member.acknowledge(record, AcknowledgeType.valueOf(args[3].toUpperCase(java.util.Locale.ROOT)));
                    }
                    System.out.println("{\"partition\": " + record.partition() + ", \"offset\": " + record.offset()
                        + ", \"value\": \"" + record.value() + "\", \"delivery\": " + record.deliveryCount().orElse((short) 0)
                        + "}");
                }
                while (args[3].equals("hold") && !polled.isEmpty() && !leaving) {
                    // Whoever does not acknowledge may not poll for more.
                    Thread.sleep(50);
                }
                member.commitSync();
            }
        }
    }
}
