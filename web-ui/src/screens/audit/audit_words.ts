// A call in few words: its method, and its path with the names that it was about.
import type { AuditEntry, Outcome } from "../../api/audit";
import type { Status } from "../../components/StatusMark";
import type { Key } from "../../i18n/text";

export const OUTCOME_MARKS: Record<Outcome, { status: Status; title: Key }> = {
  done: { status: "good", title: "audit.done" },
  refused: { status: "warning", title: "audit.refused" },
  failed: { status: "bad", title: "audit.failed" },
  gone: { status: "unknown", title: "audit.gone" },
};

/** What every route of a cluster calls it. */
export const CLUSTER = "c";
const BEFORE = /^\/api\/v1\/(?:clusters\/\{c\}\/)?/;

export function clusterOf(entry: AuditEntry): string | null {
  return entry.about[CLUSTER] ?? null;
}

/** `topics/orders/config` for `/api/v1/clusters/{c}/topics/{t}/config`. */
export function whatOf(entry: AuditEntry): string {
  return entry.route.replace(BEFORE, "").replace(/\{(\w+)\}/g, (whole, name: string) => entry.about[name] ?? whole);
}

/** What the change was, where its path does not say it. */
export function notesOf(entry: AuditEntry): string {
  return Object.entries(entry.notes)
    .filter(([, value]) => value !== "" && value !== "{}" && value !== "[]")
    .map(([name, value]) => `${name}: ${value}`)
    .join(" · ");
}
