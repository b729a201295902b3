// What a quota limits, the unit of each rate, and whom it is for.
import type { Quota, WhoseQuota } from "../../api/quotas";
import type { Entity } from "../alter_command";

export type RateUnit = "bytes" | "percent" | "count";

export const RATES = [
  { key: "producer_byte_rate", unit: "bytes", isOfAddress: false },
  { key: "consumer_byte_rate", unit: "bytes", isOfAddress: false },
  { key: "request_percentage", unit: "percent", isOfAddress: false },
  { key: "controller_mutation_rate", unit: "count", isOfAddress: false },
  { key: "connection_creation_rate", unit: "count", isOfAddress: true },
] as const;

export type RateKey = (typeof RATES)[number]["key"];

export const BYTE_UNITS: readonly { id: string; size: number }[] = [
  { id: "B/s", size: 1 },
  { id: "KiB/s", size: 1024 },
  { id: "MiB/s", size: 1024 ** 2 },
  { id: "GiB/s", size: 1024 ** 3 },
];

/** A rate as a form holds it: a number that is being typed, and the size of its unit. "" is no limit. */
export interface RateField {
  text: string;
  size: number;
}

/** In the largest unit that says it without loss. */
export function fieldOf(value: number | undefined, unit: RateUnit): RateField {
  if (value === undefined) return { text: "", size: unit === "bytes" ? 1024 ** 2 : 1 };
  const fitting = unit === "bytes" ? BYTE_UNITS.filter((each) => value >= each.size && value % each.size === 0) : [];
  const size = fitting.at(-1)?.size ?? 1;
  return { text: String(value / size), size };
}

/** undefined: no limit; null: what is typed is none. */
export function rateOf(field: RateField): number | null | undefined {
  const text = field.text.trim();
  if (text === "") return undefined;
  const value = Number(text) * field.size;
  return /^\d+(\.\d+)?$/.test(text) && value > 0 && Number.isFinite(value) ? value : null;
}

/** What has to be set and unset to come from one to the other. */
export function changeOf(before: Record<string, number>, after: Record<string, number>): { set: Record<string, number>; unset: string[] } {
  return {
    set: Object.fromEntries(Object.entries(after).filter(([key, value]) => before[key] !== value)),
    unset: Object.keys(before).filter((key) => !(key in after)),
  };
}

export function whose(quota: WhoseQuota): WhoseQuota {
  return { user: quota.user, client_id: quota.client_id, ip: quota.ip };
}

export function quotaKey(quota: WhoseQuota): string {
  return JSON.stringify([quota.user, quota.client_id, quota.ip]);
}

/** As `kafka-configs` names them; "" is the default there too. */
export function entitiesOf(quota: WhoseQuota): Entity[] {
  const named = (type: Entity["type"], name: string | null): Entity[] => (name === null ? [] : [{ type, name: name === "" ? null : name }]);
  return [...named("users", quota.user), ...named("clients", quota.client_id), ...named("ips", quota.ip)];
}

export const PARTS = ["user", "client_id", "ip"] as const;

/** In one line, as the broker's own tools write it. */
export function whoseText(quota: WhoseQuota): string {
  return PARTS.filter((part) => quota[part] !== null)
    .map((part) => `${part.replace("_", "-")}=${quota[part] === "" ? "<default>" : (quota[part] ?? "")}`)
    .join(", ");
}

export type QuotaKind = "user" | "client" | "both" | "ip";

export function kindOf(quota: WhoseQuota): QuotaKind {
  if (quota.ip !== null) return "ip";
  if (quota.user !== null && quota.client_id !== null) return "both";
  return quota.user !== null ? "user" : "client";
}

export function hasText(quota: Quota, text: string): boolean {
  const wanted = text.toLowerCase();
  return [quota.user, quota.client_id, quota.ip].some((name) => name?.toLowerCase().includes(wanted));
}
