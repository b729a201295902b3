// A connector that is being written: as a form and as JSON, which say the same.
import type { Definition, PluginForm, Validation } from "../../api/connectors";

export interface Draft {
  name: string;
  config: Record<string, string>;
}

export const CLASS = "connector.class";
/** Asked for apart from the other settings. */
const APART = new Set(["name", CLASS]);

export interface Section {
  /** null: what the plugin itself can be told, outside of any group. */
  group: string | null;
  settings: Definition[];
}

export interface Known {
  sections: Section[];
  /** By name of the setting. */
  errors: Map<string, string[]>;
  recommended: Map<string, string[]>;
  names: Set<string>;
}

/** What is asked for, with what the last trial told: settings of a transform come only with it. */
export function known(form: PluginForm, trial: Validation | null): Known {
  const definitions = new Map(form.settings.map((each) => [each.name, each]));
  const errors = new Map<string, string[]>();
  const recommended = new Map<string, string[]>();
  const hidden = new Set<string>();
  for (const { definition, value } of trial?.configs ?? []) {
    definitions.set(definition.name, definition);
    if (value.errors.length > 0) errors.set(value.name, value.errors);
    const choices = value.recommended_values.filter((each) => each !== null);
    if (choices.length > 0) recommended.set(value.name, choices);
    if (!value.visible) hidden.add(value.name);
  }
  const shown = [...definitions.values()].filter((each) => !hidden.has(each.name));
  return { sections: sections(shown, [...form.groups, ...(trial?.groups ?? [])]), errors, recommended, names: new Set(definitions.keys()) };
}

/** The plugin's own settings first, then its groups in their order; in each what has to be said comes first. */
export function sections(definitions: readonly Definition[], groups: readonly string[]): Section[] {
  const order = [null, ...new Set([...groups, ...definitions.flatMap((each) => each.group ?? [])])];
  return order
    .map((group) => ({ group, settings: definitions.filter((each) => each.group === group && !APART.has(each.name)).sort(byNeed) }))
    .filter((section) => section.settings.length > 0);
}

const IMPORTANCE = ["HIGH", "MEDIUM", "LOW"];

function byNeed(one: Definition, other: Definition): number {
  const importance = (each: Definition): number => IMPORTANCE.indexOf(each.importance);
  return Number(other.required) - Number(one.required) || importance(one) - importance(other) || one.order_in_group - other.order_in_group;
}

/** Most people set these; the rest is a click away. */
export function isUsual(setting: Definition): boolean {
  return setting.required || setting.importance === "HIGH";
}

export function isSecret(setting: Pick<Definition, "type" | "name">): boolean {
  return setting.type === "PASSWORD" || /password|secret|token|credential|passphrase/i.test(setting.name);
}

/** Nothing typed: the default holds, which is not the same as an empty text. */
export function withSetting(config: Record<string, string>, name: string, value: string): Record<string, string> {
  const next = { ...config };
  if (value === "") delete next[name];
  else next[name] = value;
  return next;
}

export function draftText(draft: Draft): string {
  return JSON.stringify(draft, null, 2);
}

/** Of JSON with name and config, or of a config alone, as files of connectors have either. null: it is neither. */
export function parseDraft(text: string, before: Draft): Draft | null {
  const found = objectOf(text);
  if (found === null) return null;
  const inner = found["config"];
  const isWhole = typeof inner === "object" && inner !== null && !Array.isArray(inner);
  const config = texts(isWhole ? (inner as Record<string, unknown>) : found);
  if (config === null) return null;
  const own = config["name"];
  delete config["name"];
  const name = isWhole ? (found["name"] ?? own ?? before.name) : (own ?? before.name);
  return typeof name === "string" ? { name, config } : null;
}

export function objectOf(text: string): Record<string, unknown> | null {
  try {
    const found: unknown = JSON.parse(text);
    return typeof found === "object" && found !== null && !Array.isArray(found) ? (found as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function texts(given: Record<string, unknown>): Record<string, string> | null {
  const config: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === "object") return null;
    config[name] = String(value);
  }
  return config;
}

/** A config as text for comparing: one setting a line, by name. */
export function configText(config: Record<string, string>): string {
  return Object.keys(config)
    .sort()
    .map((name) => `${name}=${config[name]}`)
    .join("\n");
}

/** For commands that are shown and copied: what was typed as a secret stays out. */
export function withoutSecrets(draft: Draft, definitions: readonly Definition[]): Draft {
  const types = new Map(definitions.map((each) => [each.name, each.type]));
  // A reference tells where a secret is, dots that it stays what it was.
  const isHarmless = (value: string): boolean => /^\$\{[^{}]*\}$|^•+$/.test(value);
  const config = Object.entries(draft.config).map(([name, value]) => [name, isSecret({ name, type: types.get(name) ?? "STRING" }) && !isHarmless(value) ? "…" : value]);
  return { name: draft.name, config: Object.fromEntries(config) as Record<string, string> };
}
