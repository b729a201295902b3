import { describe, expect, it } from "vitest";
import { csv } from "../src/format/csv";
import { diffLines } from "../src/format/diff";
import { bytesOfHex, hexRows } from "../src/format/hex";
import { jsonPath, parseJson, writeJson } from "../src/format/json_text";
import { bytes, count, duration } from "../src/format/quantity";
import { command, curl } from "../src/format/shell";
import { exactTime, relativeTime } from "../src/format/time";

const text = ({ number, unit }: { number: string; unit: string }): string => `${number} ${unit}`.trim();

describe("numbers", () => {
  it("of bytes have three digits and a unit", () => {
    expect([0, 1, 1023, 1024, 1536, 1_048_576, 5.4e9, 3.2e12].map((value) => text(bytes(value)))).toEqual(["0 B", "1 B", "1,023 B", "1.00 KiB", "1.50 KiB", "1.00 MiB", "5.03 GiB", "2.91 TiB"]);
  });
  it("never read 1,024 of a unit", () => {
    expect(text(bytes(1024 * 1024 - 1))).toBe("1.00 MiB");
    expect(text(count(999_999))).toBe("1.00 M");
  });
  it("of things are exact below ten thousand", () => {
    expect([0, 9999, 10_000, 1_234_567, -12_345].map((value) => text(count(value)))).toEqual(["0", "9,999", "10.0 k", "1.23 M", "-12.3 k"]);
  });
  it("follow the language", () => {
    expect(text(count(12_345, "pt-BR"))).toBe("12,3 k");
  });
  it("of time take the largest unit that loses nothing", () => {
    expect([0, 250, 1000, 1500, 90_000, 3_600_000, 604_800_000].map((value) => duration(value))).toEqual(["0 ms", "250 ms", "1 s", "1,500 ms", "90 s", "1 h", "7 d"]);
  });
});

describe("times", () => {
  const now = Date.UTC(2026, 0, 2, 12);
  it("are told from now", () => {
    // The words are the browser's, and change with its version.
    const words = (value: number, unit: Intl.RelativeTimeFormatUnit, language = "en"): string => new Intl.RelativeTimeFormat(language, { style: "narrow", numeric: "auto" }).format(value, unit);
    expect(relativeTime(now - 1999, now)).toBe("now");
    expect(relativeTime(now - 5999, now)).toBe(words(-5, "second"));
    expect(relativeTime(now - 7_200_000, now)).toBe(words(-2, "hour"));
    expect(relativeTime(now + 120_000, now)).toBe(words(2, "minute"));
    expect(relativeTime(now - 86_400_000, now, "pt-BR")).toBe("ontem");
    expect(relativeTime(0, now)).toBe(words(-56, "year"));
  });
  it("are exact with their zone", () => {
    expect(exactTime(now + 7, "en", "America/Sao_Paulo")).toContain("09:00:00.007");
    expect(exactTime(now, "en", "America/Sao_Paulo")).toContain("GMT-03:00");
    expect(exactTime(Number.NaN)).toBe("NaN");
  });
});

describe("CSV", () => {
  it("quotes what needs it and leaves the unknown empty", () => {
    expect(csv([["a", 'say "hi"', "x,y", "two\nlines", null, undefined, 0, false]])).toBe('a,"say ""hi""","x,y","two\nlines",,,0,false\r\n');
  });
  it("has no cell that a spreadsheet would run", () => {
    expect(csv([["=1+1", "+x", "-x", "@x", "\tx", "\rx", "\nx", "\uff1dx"]])).toBe('\'=1+1,\'+x,\'-x,\'@x,"\'\tx","\'\rx","\'\nx",\'\uff1dx\r\n');
    expect(csv([["-1+1|x!A0", "-1e9x", "x;=1", "a=b"]])).toBe("'-1+1|x!A0,'-1e9x,\"x;=1\",a=b\r\n");
  });

  it("leaves numbers as they are", () => {
    expect(csv([[-1, "-1", "+5", "-1.5", "1e-9"]])).toBe("-1,-1,+5,-1.5,1e-9\r\n");
  });
});

describe("JSON for the eye", () => {
  it("keeps every digit and every entry", () => {
    const node = parseJson('{"id": 9007199254740993, "x": 1.50, "x": [true, null, "a\\n\\u00e9"]}');
    expect(node).not.toBeNull();
    expect(node && writeJson(node)).toBe('{\n  "id": 9007199254740993,\n  "x": 1.50,\n  "x": [\n    true,\n    null,\n    "a\\né"\n  ]\n}');
  });
  it.each(["", "{", "[1,]", '{"a" 1}', "01", "nul", '"a\nb"', "1 2"])("refuses %s", (wrong) => {
    expect(parseJson(wrong)).toBeNull();
  });
  it("is not brought down by what is nested too deep", () => {
    expect(parseJson("[".repeat(100_000))).toBeNull();
  });
  it("agrees with JSON.parse on what is JSON", () => {
    for (const each of ['{"a":[]}', "[]", "{}", " 1e9 ", '"\\ud83d\\ude00"', "-0.5", "null"]) {
      const node = parseJson(each);
      expect(node && JSON.parse(writeJson(node))).toEqual(JSON.parse(each));
    }
  });
  it("names a part as filters do", () => {
    expect(jsonPath(["order", "items", 0, "a b"])).toBe('$.order.items[0]["a b"]');
  });
});

describe("hex", () => {
  it("shows where, the bytes and what is ASCII", () => {
    const rows = hexRows(new TextEncoder().encode("hello\nworld, 17 b"), 1000);
    expect(rows.map((row) => row.ascii)).toEqual(["hello·world, 17 ", "b"]);
    expect(rows[1]?.at).toBe("00000010");
    expect(rows[0]?.hex.length).toBe(rows[1]?.hex.length);
  });
  it("is read back", () => {
    expect([...bytesOfHex("00 0a ff")]).toEqual([0, 10, 255]);
    expect([...bytesOfHex("zz")]).toEqual([]);
  });
});

describe("the difference of two texts", () => {
  const kinds = (before: string, after: string): string => diffLines(before, after).map((row) => row.kind[0]).join("");
  it("is as small as it can be", () => {
    expect(kinds("a\nb\nc", "a\nb\nc")).toBe("sss");
    expect(kinds("a\nb\nc", "a\nc")).toBe("srs");
    expect(kinds("a\nc", "a\nb\nc")).toBe("sas");
    expect(kinds("a\nb\nc", "a\nx\nc")).toBe("scs");
  });
  it("gives both texts back", () => {
    const before = "a\nb\nc\nd\ne\nf";
    const after = "b\nc\nx\ne\ny\nz\nf\n";
    const rows = diffLines(before, after);
    expect(rows.flatMap((row) => (row.left === null ? [] : [row.left.text])).join("\n")).toBe(before);
    expect(rows.flatMap((row) => (row.right === null ? [] : [row.right.text])).join("\n")).toBe(after);
    for (const row of rows) if (row.kind === "same") expect(row.left?.text).toBe(row.right?.text);
  });
  it("of long texts with nothing in common is still found", () => {
    const left = Array.from({ length: 4000 }, (_, index) => `l${index}`).join("\n");
    const right = Array.from({ length: 4000 }, (_, index) => `r${index}`).join("\n");
    expect(diffLines(left, right)).toHaveLength(4000);
  });
});

describe("commands", () => {
  it("quote what a shell would take apart", () => {
    expect(command("kafka-topics", "--topic", "a b", "it's", "$(rm)", "")).toBe("kafka-topics --topic 'a b' 'it'\\''s' '$(rm)' ''");
  });
  it("carry the token only where nobody logs in", () => {
    expect(curl("DELETE", "http://h/x", undefined, { login: "none", name: null, csrf: "t" })).toBe("curl -X DELETE -H 'X-Riacho-Csrf: t' http://h/x");
    expect(curl("POST", "http://h/x", { a: 1 }, { login: "local", name: "ana", csrf: "t" })).toBe("curl -X POST -u ana -H 'Content-Type: application/json' -d '{\"a\":1}' http://h/x");
  });
  it("carry the browser's session where an identity provider let in, and no secret", () => {
    const who = { login: "oidc" as const, name: "ana@example.com", csrf: "t0ken" };
    expect(curl("GET", "https://h/api/v1/x", undefined, who)).toMatch(/^curl -b "\$\{RIACHO_COOKIE:\?[^"$`'\\}]+\}" https:\/\/h\/api\/v1\/x$/);
    const change = curl("POST", "https://h/api/v1/x", { a: 1 }, who);
    expect(change).toContain(`-H "X-Riacho-Csrf: $(curl -s -b "$RIACHO_COOKIE" https://h/api/v1/me | sed -n 's/.*"csrf":"\\([^"]*\\)".*/\\1/p')"`);
    expect(change).not.toMatch(/ana|t0ken/);
  });
});
