// What the page keeps of its user's SQL between visits: the text, what was run, what was set. In this browser alone.
import { keep, kept } from "../../kept";
import type { Properties } from "./statements";

export interface Ran {
  sql: string;
  at_ms: number;
  is_good: boolean;
}

export const HISTORY_MAX = 50;
const TEXT_MAX = 100_000;
const RAN_LENGTH_MAX = 10_000;
// Connectors have logins in their settings: such a text holds until the page is closed.
const SECRET = /password|passwd|secret|credential|api[._]?key|token|jaas/i;

/** Where streams begin to be read unless it is chosen otherwise: a first look at a stream should show something. */
export const USUAL: Properties = { "auto.offset.reset": "earliest" };

export function isKept(sql: string): boolean {
  return !SECRET.test(sql);
}

export function loadText(cluster: string): string {
  return kept(`sql.text.${cluster}`) ?? "";
}

export function saveText(cluster: string, text: string): void {
  if (text.length <= TEXT_MAX && isKept(text)) keep(`sql.text.${cluster}`, text === "" ? null : text);
}

export function loadProperties(cluster: string): Properties {
  const found = parsed(kept(`sql.properties.${cluster}`));
  if (typeof found !== "object" || found === null || Array.isArray(found)) return USUAL;
  return Object.fromEntries(Object.entries(found).filter((each): each is [string, string] => typeof each[1] === "string"));
}

export function saveProperties(cluster: string, properties: Properties): void {
  const safe = Object.entries(properties).filter(([name, value]) => isKept(`${name} ${value}`));
  keep(`sql.properties.${cluster}`, JSON.stringify(Object.fromEntries(safe)));
}

export function loadHistory(cluster: string): Ran[] {
  const found = parsed(kept(`sql.history.${cluster}`));
  return Array.isArray(found) ? found.filter(isRan).slice(0, HISTORY_MAX) : [];
}

/** The newest first; the same statement once. */
export function afterRun(history: readonly Ran[], ran: Ran): Ran[] {
  if (ran.sql.length > RAN_LENGTH_MAX || !isKept(ran.sql)) return [...history];
  return [ran, ...history.filter((each) => each.sql !== ran.sql)].slice(0, HISTORY_MAX);
}

export function saveHistory(cluster: string, history: readonly Ran[]): void {
  keep(`sql.history.${cluster}`, history.length === 0 ? null : JSON.stringify(history));
}

function isRan(each: unknown): each is Ran {
  const ran = each as Partial<Ran> | null;
  return typeof ran?.sql === "string" && typeof ran.at_ms === "number" && typeof ran.is_good === "boolean";
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    // Of another version: as if nothing were kept.
    return null;
  }
}
