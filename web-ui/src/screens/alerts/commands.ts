// What is done to rules and webhooks, as command lines.
import type { AlertRule } from "../../api/alerts";
import type { Cluster } from "../../api/clusters";
import { me } from "../../api/me";
import { command } from "../../format/shell";
import { HAS_NUMBER, HAS_TARGET } from "./kinds";

const USUAL_CLUSTER = "default";

/** With the console that this page is of, and as who looks at it. */
export function alertCommand(cluster: Pick<Cluster, "id">, ...words: string[]): string {
  const who = me.get();
  const user = who !== null && who.login !== "none" ? ["--user", who.name ?? "NAME"] : [];
  const where = cluster.id === USUAL_CLUSTER ? [] : ["--cluster", cluster.id];
  return command("riacho", "alert", ...words, "--console", location.origin, ...where, ...user);
}

export function deleteCommand(cluster: Pick<Cluster, "id">, name: string): string {
  return alertCommand(cluster, "delete", name, "--yes");
}

/** `before`: what it is called until now. */
export function setCommand(cluster: Pick<Cluster, "id">, rule: AlertRule, before: string | null): string {
  const set = alertCommand(
    cluster,
    "set",
    rule.name === "" ? "NAME" : rule.name,
    "--kind",
    rule.kind,
    ...(HAS_NUMBER[rule.kind] ? ["--above", String(rule.above)] : []),
    "--for",
    String(rule.for_s),
    ...(HAS_TARGET[rule.kind] ? ["--target", rule.target] : []),
    "--webhook",
    rule.webhook ?? "",
    rule.is_on ? "--on" : "--off",
  );
  return before === null || before === rule.name ? set : `${set}\n${deleteCommand(cluster, before)}`;
}
