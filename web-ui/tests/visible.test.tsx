// Texts that would show something else than what they are.
import { Fragment, h, type VNode } from "preact";
import { describe, expect, it } from "vitest";
import { visible } from "../src/format/visible";
import { showUnseen } from "../src/shown_text";

describe("a text", () => {
  it("shows what turns it around", () => {
    expect(visible("invoice\u202egnp.exe")).toBe("invoice\\u202egnp.exe");
    expect(visible("\u2066a\u2069\u200f\u061c")).toBe("\\u2066a\\u2069\\u200f\\u061c");
  });
  it("shows what nobody sees", () => {
    expect(visible("ad\u200bmin")).toBe("ad\\u200bmin");
    expect(visible("ad\u200dmin\ufeff")).toBe("ad\\u200dmin\\ufeff");
    expect(visible("a\u00adb\u2060c\u3164")).toBe("a\\u00adb\\u2060c\\u3164");
    expect(visible("x\u{e0041}")).toBe("x\\u{e0041}");
    expect(visible("\u001b[2J\u0007\u0085")).toBe("\\u001b[2J\\u0007\\u0085");
  });
  it("is left as people write it", () => {
    for (const text of ["orders.v1", "ação, ñandú", "a\tb\nc\r\n", "مرحبا", "می\u200cخواهم", "क्\u200dष", "👩\u200d💻 👩🏽\u200d💻", "日本語 한국어", "1\u202f000 5\u00a0MiB", "e\u0301 ❤️ …–"]) {
      expect(visible(text)).toBe(text);
    }
  });
  it("is looked at in one go, however long it is", () => {
    const text = "\u00e9\u0301\u200d".repeat(300_000);
    const started = performance.now();
    expect(visible(text).length).toBe(text.length);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

describe("what a page shows", () => {
  it("has every text and every name that is read out go by there, and no field's value", async () => {
    showUnseen();
    const turned = "a\u202eb";
    const drawn = h("button", { title: turned, "aria-label": turned, "data-id": turned }, "x") as unknown as VNode<Record<string, unknown>>;
    expect(drawn.props["title"]).toBe("a\\u202eb");
    expect(drawn.props["aria-label"]).toBe("a\\u202eb");
    expect(drawn.props["data-id"]).toBe(turned);
    expect((h("input", { value: turned }) as unknown as VNode<Record<string, unknown>>).props["value"]).toBe(turned);
    expect((h(Fragment, { title: turned } as never) as unknown as VNode<Record<string, unknown>>).props["title"]).toBe(turned);
  });
});
