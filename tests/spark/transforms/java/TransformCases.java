import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.data.Time;
import org.apache.kafka.connect.data.Timestamp;
import org.apache.kafka.connect.header.ConnectHeaders;
import org.apache.kafka.connect.header.Header;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.storage.SimpleHeaderConverter;
import org.apache.kafka.connect.transforms.Transformation;
import org.apache.kafka.connect.transforms.predicates.Predicate;

/** Runs the cases that come in on standard input through Apache's transforms; one answer a row goes out. */
public final class TransformCases {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("yyyy-MM-dd").withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter MOMENT =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSX").withZone(ZoneOffset.UTC);
    private static final String PACKAGE = "org.apache.kafka.connect.transforms.";

    public static void main(String[] args) throws Exception {
        ObjectMapper mapper = new ObjectMapper();
        ObjectNode answers = JSON.objectNode();
        for (JsonNode each : mapper.readTree(System.in)) {
            answers.set(each.get("name").asText(), answer(each));
        }
        mapper.writeValue(System.out, answers);
    }

    private static JsonNode answer(JsonNode given) throws Exception {
        boolean ofSource = given.get("of_source").asBoolean();
        try {
            return ofSource ? TransformCases.<SourceRecord>rows(given) : TransformCases.<SinkRecord>rows(given);
        } catch (ConfigException e) {
            return JSON.objectNode().put("config_error", e.getMessage());
        }
    }

    @SuppressWarnings("unchecked")
    private static <R extends ConnectRecord<R>> JsonNode rows(JsonNode given) throws Exception {
        Transformation<R> transform = (Transformation<R>) made(given.get("type").asText());
        transform.configure(config(given.get("config")));
        JsonNode condition = given.get("predicate");
        Predicate<R> predicate = null;
        if (!condition.isNull()) {
            predicate = (Predicate<R>) made("predicates." + condition.get("type").asText());
            predicate.configure(config(condition.get("config")));
        }
        ArrayNode rows = JSON.arrayNode();
        for (JsonNode row : given.get("rows")) {
            R record = (R) record(given, row);
            boolean applies = predicate == null || predicate.test(record) != condition.get("negate").asBoolean();
            rows.add(applies ? applied(transform, record) : shown(record));
        }
        return rows;
    }

    private static <R extends ConnectRecord<R>> JsonNode applied(Transformation<R> transform, R record) {
        try {
            R after = transform.apply(record);
            return after == null ? JSON.objectNode().put("dropped", true) : shown(after);
        } catch (RuntimeException e) {
            ObjectNode error = JSON.objectNode().put("exception", e.getClass().getName()).put("message", e.getMessage());
            return JSON.objectNode().set("error", error);
        }
    }

    private static Object made(String name) throws Exception {
        return Class.forName(PACKAGE + name).getDeclaredConstructor().newInstance();
    }

    private static Map<String, String> config(JsonNode given) {
        Map<String, String> config = new HashMap<>();
        given.properties().forEach(entry -> config.put(entry.getKey(), entry.getValue().asText()));
        return config;
    }

    private static ConnectRecord<?> record(JsonNode given, JsonNode row) {
        boolean schemaless = given.get("schemaless").asBoolean();
        Schema schema = schema(given.get("schema"));
        Object value = schemaless ? plain(schema, row.get("value")) : value(schema, row.get("value"));
        // A tombstone comes out of a converter without a schema.
        Schema shownSchema = schemaless || value == null ? null : schema;
        boolean isKey = given.get("part").asText().equals("key");
        Schema keySchema = isKey ? shownSchema : Schema.OPTIONAL_STRING_SCHEMA;
        Object key = isKey ? value : "k";
        Schema valueSchema = isKey ? Schema.OPTIONAL_STRING_SCHEMA : shownSchema;
        Object body = isKey ? "v" : value;
        ConnectHeaders headers = new ConnectHeaders();
        for (JsonNode header : row.get("headers")) {
            headers.addString(header.get(0).asText(), header.get(1).asText());
        }
        String topic = row.get("topic").asText();
        Integer partition = row.get("partition").isNull() ? null : row.get("partition").asInt();
        Long timestamp = row.get("timestamp").isNull() ? null : Instant.parse(row.get("timestamp").asText()).toEpochMilli();
        if (given.get("of_source").asBoolean()) {
            return new SourceRecord(Map.of(), Map.of(), topic, partition, keySchema, key, valueSchema, body, timestamp, headers);
        }
        return new SinkRecord(topic, partition, keySchema, key, valueSchema, body, 7L, timestamp, TimestampType.CREATE_TIME, headers);
    }

    private static Schema schema(JsonNode given) {
        SchemaBuilder builder = builder(given);
        return builder.optional().build();
    }

    private static SchemaBuilder builder(JsonNode given) {
        if (given.isObject() && given.has("struct")) {
            SchemaBuilder builder = SchemaBuilder.struct();
            if (given.has("name")) {
                builder.name(given.get("name").asText());
            }
            if (given.has("version")) {
                builder.version(given.get("version").asInt());
            }
            for (JsonNode field : given.get("struct")) {
                builder.field(field.get(0).asText(), schema(field.get(1)));
            }
            return builder;
        }
        if (given.isObject()) {
            return given.has("array") ? SchemaBuilder.array(schema(given.get("array")))
                    : SchemaBuilder.map(Schema.STRING_SCHEMA, schema(given.get("map")));
        }
        switch (given.asText()) {
            case "timestamp": return Timestamp.builder();
            case "date": return org.apache.kafka.connect.data.Date.builder();
            case "time": return Time.builder();
            case "decimal": return Decimal.builder(2);
            default: return SchemaBuilder.type(Schema.Type.valueOf(given.asText().toUpperCase()));
        }
    }

    private static Object value(Schema schema, JsonNode given) {
        if (given.isNull()) {
            return null;
        }
        Object logical = logical(schema, given);
        if (logical != null) {
            return logical;
        }
        switch (schema.type()) {
            case STRUCT:
                Struct struct = new Struct(schema);
                for (Field field : schema.fields()) {
                    struct.put(field, value(field.schema(), given.path(field.name()).isMissingNode()
                            ? JSON.nullNode() : given.get(field.name())));
                }
                return struct;
            case ARRAY:
                List<Object> list = new ArrayList<>();
                given.forEach(each -> list.add(value(schema.valueSchema(), each)));
                return list;
            case MAP:
                Map<Object, Object> map = new HashMap<>();
                given.properties().forEach(e -> map.put(e.getKey(), value(schema.valueSchema(), e.getValue())));
                return map;
            default:
                return primitive(schema, given);
        }
    }

    private static Object logical(Schema schema, JsonNode given) {
        if (schema.name() == null) {
            return null;
        }
        switch (schema.name()) {
            case Timestamp.LOGICAL_NAME: return Date.from(Instant.parse(given.asText()));
            case org.apache.kafka.connect.data.Date.LOGICAL_NAME:
                return Date.from(LocalDate.parse(given.asText()).atStartOfDay(ZoneOffset.UTC).toInstant());
            case Time.LOGICAL_NAME: return new Date(given.asLong());
            case Decimal.LOGICAL_NAME: return new BigDecimal(given.asText()).setScale(2);
            default: return null;
        }
    }

    private static Object primitive(Schema schema, JsonNode given) {
        switch (schema.type()) {
            case INT8: return (byte) given.asInt();
            case INT16: return (short) given.asInt();
            case INT32: return given.asInt();
            case INT64: return given.asLong();
            case FLOAT32: return Float.parseFloat(given.asText());
            case FLOAT64: return Double.parseDouble(given.asText());
            case BOOLEAN: return given.asBoolean();
            case BYTES: return Base64.getDecoder().decode(given.asText());
            default: return given.asText();
        }
    }

    /** The same data as a converter without schemas would give it: maps instead of structs. */
    private static Object plain(Schema schema, JsonNode given) {
        if (given.isNull() || schema.type() != Schema.Type.STRUCT) {
            return value(schema, given);
        }
        Map<String, Object> map = new LinkedHashMap<>();
        for (Field field : schema.fields()) {
            if (given.has(field.name())) {
                map.put(field.name(), plain(field.schema(), given.get(field.name())));
            }
        }
        return map;
    }

    private static JsonNode shown(ConnectRecord<?> record) {
        ObjectNode shown = JSON.objectNode();
        shown.put("topic", record.topic());
        shown.set("key", json(record.keySchema(), record.key()));
        shown.set("value", json(record.valueSchema(), record.value()));
        shown.set("key_schema", described(record.keySchema()));
        shown.set("value_schema", described(record.valueSchema()));
        ArrayNode headers = shown.putArray("headers");
        SimpleHeaderConverter converter = new SimpleHeaderConverter();
        for (Header header : record.headers()) {
            byte[] bytes = converter.fromConnectHeader(record.topic(), header.key(), header.schema(), header.value());
            headers.addArray().add(header.key()).add(bytes == null ? null : new String(bytes));
        }
        return shown;
    }

    private static JsonNode json(Schema schema, Object value) {
        if (value == null) {
            return JSON.nullNode();
        } else if (value instanceof Struct) {
            ObjectNode node = JSON.objectNode();
            ((Struct) value).schema().fields().forEach(f -> node.set(f.name(), json(f.schema(), ((Struct) value).get(f))));
            return node;
        } else if (value instanceof Map) {
            ObjectNode node = JSON.objectNode();
            new TreeMap<>((Map<?, ?>) value).forEach((k, v) -> node.set(k.toString(), json(null, v)));
            return node;
        } else if (value instanceof List) {
            ArrayNode node = JSON.arrayNode();
            ((List<?>) value).forEach(each -> node.add(json(null, each)));
            return node;
        } else if (value instanceof Date) {
            Instant moment = ((Date) value).toInstant();
            String name = schema == null ? null : schema.name();
            if (Time.LOGICAL_NAME.equals(name)) {
                return JSON.textNode(Long.toString(moment.toEpochMilli()));
            }
            boolean isDate = org.apache.kafka.connect.data.Date.LOGICAL_NAME.equals(name);
            return JSON.textNode((isDate ? DATE : MOMENT).format(moment));
        } else if (value instanceof byte[]) {
            return JSON.textNode(Base64.getEncoder().encodeToString((byte[]) value));
        } else if (value instanceof Boolean) {
            return JSON.booleanNode((Boolean) value);
        } else if (value instanceof Number) {
            return JSON.textNode(value.toString());
        }
        return JSON.textNode(value.toString());
    }

    private static JsonNode described(Schema schema) {
        if (schema == null) {
            return JSON.nullNode();
        }
        ObjectNode node = JSON.objectNode();
        node.put("type", schema.type().getName());
        node.put("name", schema.name());
        node.put("version", schema.version());
        if (schema.type() == Schema.Type.STRUCT) {
            ArrayNode fields = node.putArray("fields");
            schema.fields().forEach(f -> fields.addArray().add(f.name()).add(described(f.schema())));
        }
        return node;
    }
}
