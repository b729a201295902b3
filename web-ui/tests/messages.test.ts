import { describe, expect, it } from "vitest";
import type { Cluster } from "../src/api/clusters";
import type { Message } from "../src/api/messages";
import { consoleConsumer, riachoConsume, riachoProduce } from "../src/screens/messages/commands";
import { KeptRows, rowKey, sameMoment } from "../src/screens/messages/kept_rows";
import { EMPTY_FORM, formOf, isHidden, isJsonWrong, isRaw, originOf, recordOf } from "../src/screens/messages/record";
import { afterRow, apiQuery, EVERYTHING, foldedCount, partitionsOfText, placeOf, queryOf, type Search, searchOf, spanMs, timeMs } from "../src/screens/messages/search";

function message(partition: number, offset: number, ms: number, rest: Partial<Message> = {}): Message {
  const as = { format: "text", schema_id: null, reason: null };
  return { partition, offset, timestamp_ms: ms, timestamp_type: "create_time", key: "k", value: "v", headers: [], key_decoded: as, value_decoded: as, size_bytes: 2, is_cut: false, ...rest };
}
const NOW = 1_700_000_000_000;

describe("a search in the URL", () => {
  const full: Search = {
    ...EVERYTHING,
    from: "offset",
    offset: "42",
    partitions: [0, 2],
    limit: 1000,
    key: "a&b=c",
    value: "ção",
    header: "trace=1",
    fields: ["$.a=1", "$.b[0]=x y"],
    where: 'value.n > 1 and key != "+"',
    key_format: "hex",
    value_format: "avro",
    isolation: "read_uncommitted",
    follow: true,
  };
  it("comes back as it was", () => {
    expect(searchOf(new URLSearchParams(queryOf(full).toString()))).toEqual(full);
    for (const each of [EVERYTHING, { ...EVERYTHING, from: "time" as const, time: "2026-01-02T03:04:05.000Z" }, { ...EVERYTHING, from: "last" as const, last: "15m" }]) {
      expect(searchOf(queryOf(each))).toEqual(each);
    }
  });
  it("is empty where nothing was chosen", () => {
    expect(queryOf(EVERYTHING).toString()).toBe("");
  });
  it("does without what it cannot understand", () => {
    const broken = new URLSearchParams("from=offset&limit=-1&partitions=x,1,1&value_format=exe&follow=maybe&isolation=none");
    expect(searchOf(broken)).toEqual({ ...EVERYTHING, partitions: [1] });
    expect(searchOf(new URLSearchParams("from=last&last=99999999d")).from).toBe("newest");
    expect(searchOf(new URLSearchParams("from=time&time=soon")).from).toBe("newest");
    expect(searchOf(new URLSearchParams("limit=100000")).limit).toBe(EVERYTHING.limit);
  });
  it("counts what is folded away", () => {
    expect(foldedCount(EVERYTHING)).toBe(0);
    expect(foldedCount(full)).toBe(7);
  });
});

describe("a search for the API", () => {
  it("has a time where the URL has a span", () => {
    expect(apiQuery({ ...EVERYTHING, from: "last", last: "5m" }, NOW)).toMatchObject({ from: "time", time: String(NOW - 300_000), offset: null });
  });
  it("leaves out what is as usual", () => {
    expect(apiQuery(EVERYTHING, NOW)).toMatchObject({ from: "newest", time: null, partitions: null, follow: null, value_format: null });
  });
  it("goes on behind the last row, in either direction", () => {
    expect(afterRow({ ...EVERYTHING, where: "size > 1 or size < 0" }, NOW, 3)).toMatchObject({ from: "newest", where: `(size > 1 or size < 0) and timestamp <= ${NOW}`, limit: 203, follow: false });
    expect(afterRow({ ...EVERYTHING, from: "oldest", limit: 5000 }, NOW, 3)).toMatchObject({ from: "time", time: String(NOW), where: "", limit: 5000 });
  });
});

describe("places and times", () => {
  it("are read strictly", () => {
    expect(placeOf("3-17")).toEqual({ partition: 3, offset: 17 });
    for (const text of [null, "", "3", "3-", "-1-2", "a-b", "1-2-3"]) expect(placeOf(text)).toBeNull();
    expect(spanMs("24h")).toBe(86_400_000);
    expect(spanMs("h")).toBeNull();
    expect(timeMs("1700000000000")).toBe(NOW);
    expect(timeMs("2023-11-14T22:13:20Z")).toBe(NOW);
    expect(timeMs("")).toBeNull();
    expect(partitionsOfText("0, 2-4,3", 5)).toEqual([0, 2, 3, 4]);
    for (const text of ["", "5", "4-2", "x", "0-999999999"]) expect(partitionsOfText(text, 5)).toBeNull();
  });
});

describe("the rows that are kept", () => {
  it("are in the order of time, each once", () => {
    const kept = new KeptRows(true);
    kept.add([message(0, 5, 50), message(0, 4, 40)]);
    kept.add([message(0, 3, 30), message(1, 0, 30)]);
    expect(kept.add([message(0, 5, 50), message(1, 2, 60), message(1, 1, 45)], true)).toBe(2);
    expect(kept.rows.map(rowKey)).toEqual(["1-2", "0-5", "1-1", "0-4", "0-3", "1-0"]);
  });
  it("go forward too, and keep the order of offsets within a moment", () => {
    const kept = new KeptRows(false);
    kept.add([message(0, 1, 10), message(0, 0, 10), message(0, 2, 20)]);
    expect(kept.rows.map((row) => row.offset)).toEqual([0, 1, 2]);
  });
  it("are bounded: the oldest leave a tail, a search keeps what it found first", () => {
    const tail = new KeptRows(true, 3);
    tail.add([1, 2, 3, 4, 5].map((n) => message(0, n, n)), true);
    expect(tail.rows.map((row) => row.offset)).toEqual([5, 4, 3]);
    expect(tail.dropped).toBe(2);
    const forwardTail = new KeptRows(false, 3);
    forwardTail.add([1, 2, 3, 4].map((n) => message(0, n, n)), true);
    expect(forwardTail.rows.map((row) => row.offset)).toEqual([2, 3, 4]);
    const search = new KeptRows(false, 3);
    search.add([1, 2, 3, 4].map((n) => message(0, n, n)));
    expect(search.rows.map((row) => row.offset)).toEqual([1, 2, 3]);
    expect(search.add([message(0, 4, 4)])).toBe(1);
  });
  it("are bounded in size, and one is always kept", () => {
    const kept = new KeptRows(true, 100, 10);
    kept.add([message(0, 1, 1, { value: "x".repeat(50) }), message(0, 2, 2, { value: "x".repeat(50) })], true);
    expect(kept.rows.map((row) => row.offset)).toEqual([2]);
  });
  it("hold a hundred thousand of a tail, the newest first", () => {
    const kept = new KeptRows(true);
    for (let first = 0; first < 100_000; first += 500) kept.add(Array.from({ length: 500 }, (_, n) => message(0, first + n, first + n)), true);
    expect(kept.rows).toHaveLength(100_000);
    expect(kept.rows[0]?.offset).toBe(99_999);
  });
  it("know how many share the last moment", () => {
    expect(sameMoment([message(0, 0, 1), message(0, 1, 2), message(1, 0, 2)])).toBe(2);
    expect(sameMoment([])).toBe(0);
  });
});

describe("a record", () => {
  it("tells no key from an empty one, and a tombstone from an empty value", () => {
    expect(recordOf(EMPTY_FORM)).toMatchObject({ key: "", value: "" });
    expect(recordOf({ ...EMPTY_FORM, hasKey: false, isTombstone: true })).toMatchObject({ key: null, value: null });
    expect(formOf(message(0, 0, 0, { key: null, value: null }))).toMatchObject({ hasKey: false, isTombstone: true });
    expect(formOf(message(0, 0, 0, { key: "", value: "" }))).toMatchObject({ hasKey: true, isTombstone: false });
  });
  it("is edited as what it was, with every digit of its numbers", () => {
    const avro = { format: "avro", schema_id: 7, reason: null };
    const form = formOf(message(0, 0, 0, { value: '{"n":12345678901234567890}', value_decoded: avro }));
    expect(form.value).toBe('{\n  "n": 12345678901234567890\n}');
    expect(recordOf(form)).toMatchObject({ value_format: "avro", value_schema_id: 7, partition: null });
    expect(recordOf({ ...form, valueFormat: "json" }).value_schema_id).toBeNull();
  });
  it("is edited and sent on only where all of it is shown", () => {
    const hex = { format: "hex", schema_id: null, reason: null };
    const none = { format: "null", schema_id: null, reason: null };
    expect(isRaw(message(0, 0, 0, { key: null, key_decoded: none, value: "00ff", value_decoded: hex }))).toBe(true);
    expect(isRaw(message(0, 0, 0, { value_decoded: hex }))).toBe(false);
    expect(isHidden(message(0, 0, 0, { value: '{"card":"••••1234"}' }))).toBe(true);
    expect(isHidden(message(0, 0, 0, { headers: [["a", "••••"]] }))).toBe(true);
  });
  it("says where a dead letter comes from, as consumers read a header that is there twice", () => {
    const name = "__connect.errors.topic";
    expect(originOf(message(0, 0, 0, { headers: [[name, "first"], ["x", "y"], [name, "orders"]] }))).toBe("orders");
    expect(originOf(message(0, 0, 0, { headers: [["topic", "orders"]] }))).toBeNull();
    expect(originOf(message(0, 0, 0, { headers: [[name, null]] }))).toBeNull();
  });
  it("waits until it is JSON", () => {
    expect(isJsonWrong({ ...EMPTY_FORM, value: "{" })).toBe(true);
    expect(isJsonWrong({ ...EMPTY_FORM, value: "{", valueFormat: "text" })).toBe(false);
    expect(isJsonWrong({ ...EMPTY_FORM, value: "{", isTombstone: true })).toBe(false);
  });
});

describe("a record to write as a command", () => {
  const at = { bootstrap_servers: "h:1", registry_url: "http://r:8081" } as Cluster;
  const of = (change: object) => riachoProduce({ ...EMPTY_FORM, key: "k", ...change }, "t", at);
  it("has formats of schemas, and a tombstone", () => {
    expect(of({ value: "{}", valueFormat: "avro" })).toBe("riacho produce t --bootstrap-server h:1 --key k --value-format avro --registry http://r:8081 '{}'");
    expect(of({ isTombstone: true, valueFormat: "hex" })).toBe("riacho produce t --bootstrap-server h:1 --key k --tombstone");
  });
  it("is said only where the command line can say it", () => {
    const cannot = [{ valueFormat: "hex" }, { keyFormat: "long" }, { valueFormat: "avro", valueSchemaId: "7" }, { hasKey: false, isTombstone: true }, { headers: [["a=b", "c"]] }];
    expect(cannot.map(of)).toEqual(cannot.map(() => null));
    expect(of({ hasKey: false, keyFormat: "long", value: "v" })).toBe("riacho produce t --bootstrap-server h:1 v");
  });
});

describe("a search as a command", () => {
  it("is said only where the tool can say it", () => {
    const at = (change: Partial<Search>) => ({ ...EVERYTHING, ...change });
    expect(riachoConsume(at({ from: "last", last: "5m", value: "a.b", partitions: [1] }), "t", { bootstrap_servers: "h:1" } as Cluster)).toBe("riacho consume t --bootstrap-server h:1 --from '5m ago' --partition 1 --grep 'a\\.b' --count 200");
    expect(riachoConsume(at({ where: "size > 1" }), "t", { bootstrap_servers: "h:1" } as Cluster)).toBeNull();
    expect(consoleConsumer(at({ from: "offset", offset: "7", partitions: [1], limit: 50 }), "t", "h:1")).toContain("--partition 1 --offset 7 --max-messages 50");
    for (const change of [{}, { from: "time" as const, time: "1" }, { from: "oldest" as const, key: "a" }]) expect(consoleConsumer(at(change), "t", "h:1")).toBeNull();
  });
});
