import { afterEach, describe, expect, it, vi } from "vitest";
import type { AlertKind, AlertRule } from "../src/api/alerts";
import { me } from "../src/api/me";
import { setLanguage } from "../src/i18n/text";
import rules from "../../src/riacho/console/history/alert_rules.py?raw";
import { alertCommand, deleteCommand, setCommand } from "../src/screens/alerts/commands";
import { ruleWord } from "../src/screens/alerts/kinds";

const RULE: AlertRule = { name: "It's late", kind: "lag", above: 500, for_s: 60, target: "billing*", webhook: "ops", is_on: true };

describe("rules as command lines", () => {
  afterEach(() => {
    me.set(null);
    vi.unstubAllGlobals();
  });
  const at = (id: string) => {
    vi.stubGlobal("location", { origin: "https://console:9021" });
    return { id };
  };
  it("name all that a rule says, and the console that is looked at", () => {
    expect(setCommand(at("default"), RULE, null)).toBe(`riacho alert set 'It'\\''s late' --kind lag --above 500 --for 60 --target 'billing*' --webhook ops --on --console https://console:9021`);
    expect(setCommand(at("default"), { ...RULE, kind: "cluster_down", webhook: null, is_on: false }, "It's late")).toContain(`--kind cluster_down --for 60 --webhook '' --off --console`);
  });
  it("take the old name away where a rule gets another", () => {
    const lines = setCommand(at("default"), RULE, "before")?.split("\n") ?? [];
    expect(lines).toHaveLength(2);
    expect(lines[1]).toBe(deleteCommand(at("default"), "before"));
  });
  it("say which cluster, and who calls", () => {
    me.set({ name: "ann", role: "admin", login: "local", csrf: "x", read_only: false, version: "1", language: null, has_passwords: true });
    expect(alertCommand(at("staging"), "list")).toBe("riacho alert list --console https://console:9021 --cluster staging --user ann");
  });
  it("take a local user where an identity provider lets in, and are none where there are no passwords", () => {
    const by = (has_passwords: boolean) => me.set({ name: "ann@example.com", role: "admin", login: "oidc", csrf: "x", read_only: false, version: "1", language: null, has_passwords });
    by(true);
    expect(alertCommand(at("default"), "list")).toBe("riacho alert list --console https://console:9021 --user NAME");
    by(false);
    expect(alertCommand(at("default"), "list")).toBeUndefined();
    expect(setCommand(at("default"), RULE, "before")).toBeUndefined();
  });
});

describe("rules that a console begins with", () => {
  const given = [...rules.matchAll(/^ {4}Rule\(name="([^"]+)", kind="(\w+)"/gm)].map(([, name = "", kind = ""]) => [name, kind as AlertKind] as const);
  afterEach(async () => {
    await setLanguage("en");
    vi.unstubAllGlobals();
  });
  it("are called in the reader's language, and what somebody has named is not", async () => {
    expect(given.length).toBeGreaterThan(5);
    expect(given.map(([name, kind]) => ruleWord(name, kind))).toEqual(given.map(([name]) => name));
    vi.stubGlobal("document", { documentElement: { lang: "en" } });
    await setLanguage("pt-BR");
    for (const [name, kind] of given) expect(ruleWord(name, kind), name).not.toBe(name);
    expect(ruleWord("Disk", "disk")).toBe("Disk");
    expect(ruleWord("Disk almost full", "lag")).toBe("Disk almost full");
  });
});
