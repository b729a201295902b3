// What is done to rules and webhooks, as command lines.
import type { AlertRule } from "../../api/alerts";
import type { Cluster } from "../../api/clusters";
import { me } from "../../api/me";
import { command } from "../../format/shell";
import { HAS_NUMBER, HAS_TARGET } from "./kinds";

const USUAL_CLUSTER = "default";

/** With the console that this page is of, and as who looks at it. The command line logs in with passwords alone: where an
 * identity provider lets in there is none, unless local users are there beside it. */
export function alertCommand(cluster: Pick<Cluster, "id">, ...words: string[]): string | undefined {
  const who = me.get();
  if (who?.login === "oidc" && who.has_passwords !== true) return undefined;
  const user = who === null || who.login === "none" ? [] : ["--user", (who.login === "local" ? who.name : null) ?? "NAME"];
  const where = cluster.id === USUAL_CLUSTER ? [] : ["--cluster", cluster.id];
  return command("riacho", "alert", ...words, "--console", location.origin, ...where, ...user);
}

/** On where it is off, and off where it is on. */
export function turnCommand(cluster: Pick<Cluster, "id">, rule: Pick<AlertRule, "name" | "is_on">): string | undefined {
  return alertCommand(cluster, rule.is_on ? "off" : "on", rule.name);
}

export function deleteCommand(cluster: Pick<Cluster, "id">, name: string): string | undefined {
  return alertCommand(cluster, "delete", name, "--yes");
}

/** `before`: what it is called until now. */
export function setCommand(cluster: Pick<Cluster, "id">, rule: AlertRule, before: string | null): string | undefined {
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
  return set === undefined || before === null || before === rule.name ? set : `${set}\n${deleteCommand(cluster, before)}`;
}
