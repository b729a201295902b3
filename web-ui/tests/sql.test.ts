import { describe, expect, it } from "vitest";
import { pipelineStateWord } from "../src/screens/pipelines/PipelineState";
import { answerOf, warningsOf } from "../src/screens/sql/answers";
import { riachoKsql } from "../src/screens/sql/commands";
import { dangerOf, typedName } from "../src/screens/sql/danger";
import { afterRun, HISTORY_MAX, isKept, type Ran } from "../src/screens/sql/draft";
import { lineOf, rangeOf, toldError } from "../src/screens/sql/error_place";
import { queryStateWord } from "../src/screens/sql/QueryState";
import { cellOf, RateMeter, RowBuffer } from "../src/screens/sql/row_buffer";
import { afterStatement, answersRows, identifier, isPush, meantStatements, statementAt, statementsOf, withStatement } from "../src/screens/sql/statements";
import { namedSources } from "../src/screens/sql/use_words";

const texts = (sql: string): string[] => statementsOf(sql).map((each) => each.text);
const one = (sql: string) => {
  const [found] = statementsOf(sql);
  if (found === undefined) throw new Error("no statement");
  return found;
};

describe("statements of a text", () => {
  it("end at a semicolon that is not in quotes or comments", () => {
    expect(texts("a ';' \";\" `;` -- ;\n /* ; */ b; c 'it''s; x';")).toEqual(["a ';' \";\" `;` -- ;\n /* ; */ b;", "c 'it''s; x';"]);
    expect(texts(" ;; \n-- only a comment")).toEqual([]);
    expect(texts("SHOW STREAMS -- why\n")).toEqual(["SHOW STREAMS"]);
  });
  it("keep their place, and words without what is quoted", () => {
    const [, second] = statementsOf("a;\n-- for b\n  select 'x y' from `T`;");
    expect(second).toMatchObject({ from: 14, to: 36, begin: 2, words: ["SELECT", "FROM"] });
  });
  it("take all that follows a quote that is never closed", () => {
    expect(texts("a; b 'open ; c\n")).toEqual(["a;", "b 'open ; c"]);
  });
});

describe("the statement under the cursor", () => {
  const text = "SHOW STREAMS;  \n\n-- rows\nSELECT 1\nFROM x;\n\n";
  const at = (place: number): string | undefined => statementAt(text, place)?.words[0];
  it("is the one that it stands in, or right behind", () => {
    expect([0, 5, 13, 15].map(at)).toEqual(["SHOW", "SHOW", "SHOW", "SHOW"]);
    expect([text.indexOf("SELECT"), text.indexOf("FROM x;") + 7].map(at)).toEqual(["SELECT", "SELECT"]);
  });
  it("is the next one from a line above it, and the last one from below all", () => {
    expect([16, text.indexOf("-- rows") + 3, text.length].map(at)).toEqual(["SELECT", "SELECT", "SELECT"]);
    expect(statementAt(" \n", 1)).toBeNull();
  });
  it("gives way to what is marked", () => {
    expect(meantStatements("a; b; c;", 3, 8).map((each) => [each.text, each.from])).toEqual([["b;", 3], ["c;", 6]]);
    expect(meantStatements("a; b; c;", 4, 4).map((each) => each.text)).toEqual(["b;"]);
  });
});

describe("what a statement is", () => {
  it("answers rows, for a while or for good", () => {
    expect(["SELECT 1;", "print x;", "CREATE STREAM a AS SELECT * FROM b;"].map((sql) => answersRows(one(sql)))).toEqual([true, true, false]);
    expect(["select * from a emit changes;", "SELECT * FROM a EMIT FINAL", "SELECT 'EMIT CHANGES' FROM a;", "PRINT x;"].map((sql) => isPush(one(sql)))).toEqual([true, true, false, true]);
  });
  it("may change what is sent along", () => {
    const set = afterStatement({ a: "1" }, one("set 'auto.offset.reset' = 'it''s';"));
    expect(set).toEqual({ a: "1", "auto.offset.reset": "it's" });
    expect(afterStatement(set, one("UNSET 'a';"))).toEqual({ "auto.offset.reset": "it's" });
    expect(afterStatement(set, one("SHOW STREAMS;"))).toBe(set);
  });
  it("is added below the others, once, and does not run into them", () => {
    expect(withStatement("", "SHOW STREAMS;")).toEqual({ text: "SHOW STREAMS;\n", from: 0, to: 13 });
    expect(withStatement("SELECT 1", "SHOW STREAMS;").text).toBe("SELECT 1\n;\n\nSHOW STREAMS;\n");
    expect(withStatement("-- later\n", "a;").text).toBe("-- later\n\na;\n");
    expect(withStatement("a;\nb;", "b;")).toEqual({ text: "a;\nb;", from: 3, to: 5 });
  });
  it("quotes names that would mean others", () => {
    expect(["ORDERS", "orders", "a`b", "1A"].map(identifier)).toEqual(["ORDERS", "`orders`", "`a``b`", "`1A`"]);
  });
  it("names the streams whose columns are offered", () => {
    const sources = ["ORDERS", "small", "OTHER"].map((name) => ({ name, kind: "stream" as const, topic: name, key_format: "", value_format: "", is_windowed: false }));
    expect(namedSources("SELECT 'other' FROM orders o JOIN `small` s", sources)).toEqual(["ORDERS", "small"]);
  });
});

describe("an error", () => {
  it("tells its place in two forms, and the rest without it", () => {
    expect(toldError("line 2:14: Syntax Error\nSyntax error at or near ';' at line 2:14\nExpecting 'FROM'")).toEqual({ message: "Syntax error at or near ';'\nExpecting 'FROM'", place: { line: 2, column: 14 } });
    expect(toldError("Line: 1, Col: 8: SELECT column 'X' cannot be resolved.")).toEqual({ message: "SELECT column 'X' cannot be resolved.", place: { line: 1, column: 8 } });
    expect(toldError("Stream A does not exist.").place).toBeNull();
  });
  it("is marked where it is in the whole text", () => {
    const text = "SHOW STREAMS;\n\nSELECT a,\n  totl FROM x;";
    const from = text.indexOf("SELECT");
    const range = rangeOf(text, from, { line: 2, column: 3 });
    expect(text.slice(range.from, range.to)).toBe("totl");
    expect(lineOf(text, range.from)).toEqual({ line: 4, column: 3 });
    expect(rangeOf("SELECT", 0, { line: 1, column: 7 })).toEqual({ from: 5, to: 6 });
    expect(rangeOf("SELECT", 0, { line: 9, column: 90 })).toEqual({ from: 5, to: 6 });
  });
});

describe("rows that are kept", () => {
  it("are bounded, the newest first, where they go on", () => {
    const rows = new RowBuffer(true, 3);
    rows.add([["a"], ["b"]]);
    rows.add([["c"], ["d"]]);
    expect(rows.rows.map((row) => [row.number, row.cells[0]])).toEqual([[4, "d"], [3, "c"], [2, "b"]]);
    expect([rows.count, rows.dropped]).toEqual([4, 1]);
  });
  it("are the first ones, where they end", () => {
    const rows = new RowBuffer(false, 2);
    rows.add([[1], [2], [3]]);
    expect(rows.rows.map((row) => row.cells[0])).toEqual([1, 2]);
    expect(rows.dropped).toBe(1);
  });
  it("are bounded in size too, but for the one", () => {
    const rows = new RowBuffer(true, 100, 10);
    rows.add([["123456"], ["1234567890123"]]);
    expect(rows.rows.map((row) => row.number)).toEqual([2]);
  });
  it("show structures as JSON and nothing as nothing", () => {
    expect([null, undefined, 1, "x", true, { a: [1] }].map(cellOf)).toEqual([null, null, 1, "x", true, '{"a":[1]}']);
  });
  it("have a rate, after a moment", () => {
    const meter = new RateMeter(1000);
    expect(meter.at(0, 0)).toBeNull();
    expect(meter.at(500, 50)).toBe(100);
    expect(meter.at(1500, 250)).toBe(200);
    expect(meter.at(9000, 250)).toBe(0);
  });
});

describe("what this browser keeps", () => {
  const ran = (sql: string): Ran => ({ sql, at_ms: 0, is_good: true });
  it("is what was run, each once, the newest first, and not for ever", () => {
    expect(afterRun([ran("a"), ran("b")], ran("b")).map((each) => each.sql)).toEqual(["b", "a"]);
    expect(afterRun(Array.from({ length: HISTORY_MAX }, (_, at) => ran(String(at))), ran("x"))).toHaveLength(HISTORY_MAX);
  });
  it("has no secrets", () => {
    expect(isKept("CREATE SOURCE CONNECTOR x WITH ('connection.password'='y');")).toBe(false);
    expect(afterRun([], ran("SET 'sasl.jaas.config'='x';"))).toEqual([]);
    expect(isKept("SELECT * FROM orders;")).toBe(true);
  });
});

describe("answers", () => {
  it("of lists are tables", () => {
    expect(answerOf({ "@type": "kafka_topics", topics: [{ name: "orders", replicaInfo: [1, 1] }] })).toEqual({ kind: "list", type: "kafka_topics", columns: ["name", "partitions", "replicas"], rows: [{ name: "orders", partitions: 2, replicas: 1 }] });
    expect(answerOf({ "@type": "queries", queries: [{ id: "Q", state: "RUNNING", queryType: "PERSISTENT", sinks: ["A", "B"], queryString: "CREATE …" }] })).toMatchObject({ rows: [{ id: "Q", sinks: "A, B", statement: "CREATE …" }] });
    expect(answerOf({ "@type": "type_list", types: { ADDRESS: { type: "STRUCT" } } })).toMatchObject({ rows: [{ name: "ADDRESS", type: "STRUCT" }] });
  });
  it("of another version are tables as well, or JSON", () => {
    expect(answerOf({ "@type": "news", items: [{ a: 1 }, { b: { c: 2 } }], warnings: [] })).toEqual({ kind: "list", type: "news", columns: ["a", "b"], rows: [{ a: 1, b: null }, { a: null, b: '{"c":2}' }] });
    expect(answerOf({ "@type": "odd", warnings: [{ message: "careful" }] })).toMatchObject({ kind: "other" });
    expect(warningsOf({ warnings: [{ message: "careful" }] })).toEqual(["careful"]);
  });
  it("of changes are messages, with the query that began", () => {
    expect(answerOf({ "@type": "currentStatus", commandStatus: { status: "SUCCESS", message: "Created query", queryId: "CSAS_1" } })).toEqual({ kind: "message", message: "Created query", queryId: "CSAS_1" });
  });
  it("of DESCRIBE are the thing", () => {
    expect(answerOf({ "@type": "sourceDescription", sourceDescription: { name: "ORDERS", fields: [] } })).toEqual({ kind: "source", name: "ORDERS" });
    expect(answerOf({ "@type": "describe_function", name: "LEN", description: "", functions: [{ arguments: [{ name: "s", type: "STRING", isVariadic: false }], returnType: "INTEGER", description: "" }] })).toMatchObject({ forms: [{ call: "LEN(s STRING) → INTEGER" }] });
  });
});

describe("what takes something away", () => {
  const of = (sql: string) => statementsOf(sql).flatMap((each) => dangerOf(each) ?? []);
  it("is asked for by what goes", () => {
    expect(of("drop stream if exists `my orders` delete topic;")).toEqual([{ kind: "topic", name: "my orders" }]);
    expect(of("DROP TABLE totals DELETE /* really */ TOPIC -- all\n;")).toEqual([{ kind: "topic", name: "totals" }]);
    expect(of("DROP CONNECTOR IF EXISTS shop; TERMINATE CSAS_A_1; terminate all;")).toEqual([
      { kind: "connector", name: "shop" },
      { kind: "query", name: "CSAS_A_1" },
      { kind: "queries", name: "ALL" },
    ]);
    expect(of("DROP STREAM a; DROP TYPE b;").map((each) => each.kind)).toEqual(["source", "source"]);
  });
  it("is nothing else, whatever it is called", () => {
    expect(of("SELECT 'DROP STREAM a DELETE TOPIC' FROM b; PAUSE q; -- TERMINATE ALL;\nLIST TOPICS; DROP; TERMINATE;")).toEqual([]);
  });
  it("wants every name that is gone for good, and only a yes for the rest", () => {
    expect(typedName(of("TERMINATE q1; DROP STREAM a; DROP TABLE b DELETE TOPIC;"))).toBe("q1, b");
    expect(typedName(of("DROP STREAM a;"))).toBe("");
  });
});

describe("the state of a query", () => {
  it("has words of its own, or the server's", () => {
    expect(["RUNNING", "unresponsive", "NAPPING", "constructor"].map(queryStateWord)).toEqual(["running", "unresponsive", "napping", "constructor"]);
  });
  it("is that of a pipeline too", () => {
    expect([pipelineStateWord({ kind: "query", state: "ERROR" }), pipelineStateWord({ kind: "connector", state: "FAILED" }), pipelineStateWord({ kind: "query", state: null })]).toEqual(["error", "failed", null]);
  });
});

describe("the command", () => {
  it("sets what is set, and closes the statement", () => {
    expect(riachoKsql({ ksql_url: "http://ksql:8088" }, "SHOW STREAMS", { "auto.offset.reset": "earliest" })).toBe(`riacho ksql http://ksql:8088 -e 'SET '\\''auto.offset.reset'\\'' = '\\''earliest'\\'';' -e 'SHOW STREAMS;'`);
  });
});
