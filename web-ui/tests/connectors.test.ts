import { describe, expect, it } from "vitest";
import { type Definition, type PluginForm, shortClass, shortError, type Validation } from "../src/api/connectors";
import { createCommand, moveCommand, offsetsCommand, restartCommand } from "../src/screens/connectors/commands";
import { configText, known, parseDraft, sections, withoutSecrets, withSetting } from "../src/screens/connectors/draft";
import { pairText } from "../src/screens/connectors/OffsetsTab";
import { topicRows } from "../src/screens/connectors/TopicsTab";

function definition(name: string, more: Partial<Definition> = {}): Definition {
  return { name, type: "STRING", required: false, default_value: null, importance: "MEDIUM", documentation: "", group: null, order_in_group: -1, width: "NONE", display_name: name, dependents: [], ...more };
}

const AT = { connect_url: "http://connect:8083" };
const NOTHING = { name: "before", config: {} };

describe("the sections of a form", () => {
  it("have the plugin's own first, then its groups in their order, and leave out what is asked for apart", () => {
    const all = [definition("b", { group: "Errors" }), definition("own"), definition("name", { group: "Common" }), definition("connector.class", { group: "Common" }), definition("a", { group: "Common" })];
    expect(sections(all, ["Common", "Errors"]).map((each) => [each.group, each.settings.map((one) => one.name)])).toEqual([
      [null, ["own"]],
      ["Common", ["a"]],
      ["Errors", ["b"]],
    ]);
  });
  it("say what is required first, then by importance, then in the plugin's order", () => {
    const all = [definition("low", { importance: "LOW" }), definition("second", { order_in_group: 2 }), definition("first", { order_in_group: 1 }), definition("must", { required: true, importance: "LOW" }), definition("high", { importance: "HIGH" })];
    expect(sections(all, [])[0]?.settings.map((one) => one.name)).toEqual(["must", "high", "first", "second", "low"]);
  });
});

describe("a trial", () => {
  const form: PluginForm = { class: "x.Sink", groups: ["Common"], settings: [definition("topics", { group: "Common" }), definition("shown")] };
  const value = (name: string, more: object = {}) => ({ definition: definition(name), value: { name, value: null, recommended_values: [], errors: [], visible: true, ...more } });
  const trial: Validation = { error_count: 1, groups: ["Common", "Transforms: a"], configs: [value("shown", { visible: false }), value("topics", { errors: ["Must be set"] }), value("transforms.a.type", { recommended_values: ["A", null, "B"] })] };
  it("brings settings that the definition lacks, takes out what is not visible, tells errors and choices", () => {
    const found = known(form, trial);
    expect(found.sections.flatMap((each) => each.settings.map((one) => one.name))).toEqual(["topics", "transforms.a.type"]);
    expect(found.errors.get("topics")).toEqual(["Must be set"]);
    expect(found.recommended.get("transforms.a.type")).toEqual(["A", "B"]);
    expect(found.names.has("shown")).toBe(true);
  });
});

describe("a draft as JSON", () => {
  it("may be name and config, or a config alone", () => {
    expect(parseDraft('{"name": "a", "config": {"topics": "t"}}', NOTHING)).toEqual({ name: "a", config: { topics: "t" } });
    expect(parseDraft('{"topics": "t"}', NOTHING)).toEqual({ name: "before", config: { topics: "t" } });
    expect(parseDraft('{"name": "b", "topics": "t"}', NOTHING)).toEqual({ name: "b", config: { topics: "t" } });
  });
  it("has numbers and booleans as texts, and nothing nested", () => {
    expect(parseDraft('{"tasks.max": 2, "on": false}', NOTHING)?.config).toEqual({ "tasks.max": "2", on: "false" });
    expect(parseDraft('{"a": {"b": 1}}', NOTHING)).toBeNull();
    expect(parseDraft('{"a": null}', NOTHING)).toBeNull();
    for (const text of ["", "[]", "3", '{"a": 1', '{"name": 3, "config": {}}']) expect(parseDraft(text, NOTHING), text).toBeNull();
  });
});

describe("a config", () => {
  it("loses a setting that is emptied: its default holds", () => {
    expect(withSetting({ a: "1", b: "2" }, "a", "")).toEqual({ b: "2" });
    expect(withSetting({ a: "1" }, "b", "2")).toEqual({ a: "1", b: "2" });
  });
  it("is compared by name", () => {
    expect(configText({ b: "2", a: "1" })).toBe("a=1\nb=2");
  });
  it("is copied without what was typed as a secret", () => {
    const draft = { name: "a", config: { pin: "4711", "my.password": "x", "a.token": "${file:/x:y}", "kept.secret": "••••••••", url: "u" } };
    const shown = withoutSecrets(draft, [definition("pin", { type: "PASSWORD" })]);
    expect(shown.config).toEqual({ pin: "…", "my.password": "…", "a.token": "${file:/x:y}", "kept.secret": "••••••••", url: "u" });
    expect(createCommand(AT, shown)).toContain("kept.secret=…");
    expect(createCommand(AT, { name: "it's", config: { a: "b c" } })).toBe(`riacho pipeline create 'it'\\''s' -c 'a=b c' --connect http://connect:8083`);
  });
});

describe("what is shown of a connector", () => {
  it("is the class without its package, and an error without that of its class", () => {
    expect(shortClass("org.apache.kafka.connect.file.FileStreamSink")).toBe("FileStreamSink");
    expect(shortClass("FileStreamSink")).toBe("FileStreamSink");
    expect(shortError("org.apache.kafka.connect.errors.ConnectException: no such file\n\tat x")).toBe("ConnectException: no such file");
    expect(shortError("db.example.com does not answer")).toBe("db.example.com does not answer");
  });
  it("is each topic once, its dead letters last", () => {
    const connector = { type: "sink", topics: ["b", "a"], config: { topics: "a, c" }, dead_letters_topic: "d" };
    expect(topicRows(connector)).toEqual([
      { topic: "a", use: "reads", isSeen: true },
      { topic: "b", use: "reads", isSeen: true },
      { topic: "c", use: "reads", isSeen: false },
      { topic: "d", use: "dead_letters", isSeen: false },
    ]);
    expect(topicRows({ type: "source", topics: null, config: {}, dead_letters_topic: null })).toEqual([]);
  });
  it("is an offset in words, whatever a source calls its parts", () => {
    expect(pairText({ kafka_topic: "t", kafka_partition: 0 })).toBe("kafka_topic: t, kafka_partition: 0");
    expect(pairText({ at: { x: 1 } })).toBe('at: {"x":1}');
    expect(pairText(null)).toBe("–");
  });
});

describe("what is done to a connector, as command lines", () => {
  it("restarts all of it, what has failed, the connector alone, or one task", () => {
    expect(restartCommand(AT, "my sink", "all")).toBe("riacho pipeline restart 'my sink' --connect http://connect:8083");
    expect([restartCommand(AT, "a", "failed"), restartCommand(AT, "a", "alone"), restartCommand(AT, "a", 3)]).toEqual([
      "riacho pipeline restart a --only-failed --connect http://connect:8083",
      "riacho pipeline restart a --no-tasks --connect http://connect:8083",
      "riacho pipeline restart a --task 3 --connect http://connect:8083",
    ]);
  });
  it("moves, forgets and resets offsets", () => {
    const partition = { filename: "it's.txt" };
    expect(moveCommand(AT, "a", { partition, offset: { position: 5 } })).toBe(`riacho pipeline offsets a --set '{"filename":"it'\\''s.txt"}' '{"position":5}' --connect http://connect:8083`);
    expect(moveCommand(AT, "a", { partition: { n: 1 }, offset: null })).toBe(`riacho pipeline offsets a --forget '{"n":1}' --connect http://connect:8083`);
    expect(offsetsCommand(AT, "a", "--reset", "--yes")).toBe("riacho pipeline offsets a --reset --yes --connect http://connect:8083");
  });
});
