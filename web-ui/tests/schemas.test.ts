import { StringStream } from "@codemirror/language";
import { describe, expect, it } from "vitest";
import { deleteCommand, levelCommand, registerCommand } from "../src/screens/schemas/commands";
import type { SchemaVersion } from "../src/api/schemas";
import { token } from "../src/components/lazy_parts/protobuf_language";
import { diffLines, withoutComma } from "../src/format/diff";
import { compared } from "../src/screens/schemas/compared";
import { isChanged, isSubjectName, newVersion, startOf, withType } from "../src/screens/schemas/schema_form";
import { languageOf, pretty } from "../src/screens/schemas/schema_text";
import { reasonsOf } from "../src/screens/schemas/verdict";

const ORDER = '{"type":"record","name":"Order","fields":[{"name":"id","type":["null","string"],"default":null},{"name":"at","type":{"type":"long","logicalType":"timestamp-millis"}}]}';
const latest = (schema = ORDER, type = "AVRO", references: SchemaVersion["references"] = []): SchemaVersion => ({ subject: "orders-value", version: 2, id: 7, type, schema, references });

describe("the same by a command line", () => {
  it("registers, deletes and sets levels", () => {
    const at = { registry_url: "http://registry:8081" };
    const version = { schema: '{"type": "string"}', type: "AVRO" as const, references: [{ name: "Item", subject: "shop.Item", version: 1 }] };
    expect(registerCommand(at, "it's", version)).toBe(`riacho schema register 'it'\\''s' --schema '{"type": "string"}' --type avro --reference Item=shop.Item:1 --registry http://registry:8081`);
    expect(deleteCommand(at, "orders-value", 2)).toBe("riacho schema delete orders-value --version 2 --registry http://registry:8081");
    expect(deleteCommand(at, "orders-value", null)).toBe("riacho schema delete orders-value --registry http://registry:8081");
    expect(levelCommand(at, "orders-value", "FULL")).toBe("riacho schema compatibility orders-value FULL --registry http://registry:8081");
    expect(levelCommand(at, "orders-value", null)).toBe("riacho schema compatibility orders-value --unset --registry http://registry:8081");
  });
});

describe("a schema's text", () => {
  it("has a field a line where it fits", () => {
    expect(pretty(ORDER, "AVRO").split("\n")).toEqual([
      "{",
      '  "type": "record",',
      '  "name": "Order",',
      '  "fields": [',
      '    { "name": "id", "type": ["null", "string"], "default": null },',
      "    {",
      '      "name": "at",',
      '      "type": { "type": "long", "logicalType": "timestamp-millis" }',
      "    }",
      "  ]",
      "}",
    ]);
    const long = JSON.stringify({ name: "x".repeat(200), type: "string" });
    expect(pretty(long, "JSON").split("\n")).toHaveLength(4);
  });
  it("loses nothing: digits, repeated names, what is no JSON", () => {
    expect(pretty('{"default":12345678901234567890.10,"a":1,"a":2,"b":{},"c":[]}', "AVRO")).toBe('{\n  "default": 12345678901234567890.10,\n  "a": 1,\n  "a": 2,\n  "b": {},\n  "c": []\n}');
    expect(pretty('"string"', "AVRO")).toBe('"string"');
    expect(pretty("{ not json", "AVRO")).toBe("{ not json");
    expect(pretty("message A {}", "PROTOBUF")).toBe("message A {}");
  });
  it("has colours by its type", () => {
    expect(["AVRO", "JSON", "PROTOBUF", "THRIFT"].map(languageOf)).toEqual(["json", "json", "protobuf", "text"]);
  });
});

describe("what changed", () => {
  it("is no line that only got a comma", () => {
    const rows = diffLines('[\n  "a"\n]', '[\n  "a",\n  "b"\n]', withoutComma);
    expect(rows.map((row) => row.kind)).toEqual(["same", "same", "added", "same"]);
    expect(rows[1]?.right?.text).toBe('  "a",');
  });
  it("is between the versions of the URL, else the latest two", () => {
    expect(compared([1, 2, 5], null, null)).toEqual({ from: 2, to: 5 });
    expect(compared([1, 2, 5], "5", "1")).toEqual({ from: 5, to: 1 });
    expect(compared([1, 2, 5], null, "2")).toEqual({ from: 1, to: 2 });
    expect(compared([1, 2, 5], "4", "x")).toEqual({ from: 2, to: 5 });
    expect(compared([3], null, null)).toEqual({ from: 3, to: 3 });
  });
});

describe("a registry's reasons", () => {
  it("are told one by one, with the version", () => {
    const told = reasonsOf([
      "{errorType:'READER_FIELD_MISSING_DEFAULT_VALUE', description:'The field 'a' at path '/fields/1' in the new schema has no default value', additionalInfo:'a'}",
      '{errorType:"FIELD_REMOVED", description:"The field "b" went"}',
      "{oldSchemaVersion: 12}",
      "{oldSchema: '{\"type\":\n\"string\"}'}",
      "{compatibility: 'BACKWARD'}",
    ]);
    expect(told.version).toBe(12);
    expect(told.reasons).toEqual([
      { kind: "READER_FIELD_MISSING_DEFAULT_VALUE", text: "The field 'a' at path '/fields/1' in the new schema has no default value", where: "a" },
      { kind: "FIELD_REMOVED", text: 'The field "b" went', where: null },
    ]);
  });
  it("are told as they are where they are not known", () => {
    expect(reasonsOf(["Invalid schema <b>, details: no name"])).toEqual({ version: null, reasons: [{ kind: null, text: "Invalid schema <b>, details: no name", where: null }] });
    expect(reasonsOf(["{errorType:'X', description:'open"]).reasons[0]?.kind).toBeNull();
  });
});

describe("a new version", () => {
  it("starts as the latest is, and is none until something changes", () => {
    const before = latest(ORDER, "AVRO", [{ name: "Item", subject: "item", version: 3 }]);
    const form = startOf("orders-value", before);
    expect(form).toMatchObject({ type: "AVRO", references: [{ name: "Item", subject: "item", version: "3" }] });
    expect(isChanged(form, before)).toBe(false);
    expect(isChanged({ ...form, text: ORDER }, before)).toBe(false);
    expect(isChanged({ ...form, text: ORDER.replace("Order", "Sale") }, before)).toBe(true);
    expect(isChanged({ ...form, references: [] }, before)).toBe(true);
    expect(isChanged({ ...form, type: "JSON" }, before)).toBe(true);
    expect(isChanged(startOf("new", null), null)).toBe(true);
  });
  it("is sent when it is whole; an empty line is no reference", () => {
    const form = startOf("s", latest());
    const line = { name: "a.proto", subject: "a", version: "1" };
    const nothing = { name: "", subject: "", version: "" };
    expect(newVersion({ ...form, text: "x", type: "PROTOBUF", references: [line, nothing] })).toEqual({ schema: "x", type: "PROTOBUF", references: [{ name: "a.proto", subject: "a", version: 1 }] });
    for (const version of ["", "0", "-1", "latest", "1.5"]) expect(newVersion({ ...form, references: [{ ...line, version }] })).toBeNull();
    expect(newVersion({ ...form, text: " \n" })).toBeNull();
    expect(newVersion({ ...form, subject: ".." })).toBeNull();
    expect([" ", ".", "a/b", "..."].map(isSubjectName)).toEqual([false, false, true, true]);
  });
  it("takes the example of its type, unless something is written", () => {
    const form = startOf("s", null);
    expect(withType(form, "PROTOBUF").text).toContain("syntax");
    expect(withType(withType(form, "PROTOBUF"), "AVRO").text).toBe(form.text);
    expect(withType({ ...form, text: "mine" }, "JSON").text).toBe("mine");
  });
});

describe("Protobuf", () => {
  it("has words, types, texts, numbers and comments over lines", () => {
    const state = { isInComment: false };
    const seen = (line: string): [string, string | null][] => {
      const stream = new StringStream(line, 2, 2);
      const found: [string, string | null][] = [];
      while (!stream.eol()) {
        stream.start = stream.pos;
        const kind = token(stream, state);
        if (stream.current().trim() !== "") found.push([stream.current(), kind]);
      }
      return found;
    };
    expect(seen('import "a.proto"; // it')).toEqual([["import", "keyword"], ['"a.proto"', "string"], [";", null], ["// it", "comment"]]);
    expect(seen("/* one")).toEqual([["/* one", "comment"]]);
    expect(seen("two */ int64 a = 1;")).toEqual([["two */", "comment"], ["int64", "typeName"], ["a", null], ["=", null], ["1", "number"], [";", null]]);
    expect(state.isInComment).toBe(false);
  });
});
