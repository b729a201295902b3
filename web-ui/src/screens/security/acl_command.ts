// Entries as `kafka-acls` takes them: one command for all operations on the same resource.
import type { Acl, ResourceType } from "../../api/acls";
import type { Cluster } from "../../api/clusters";
import { command } from "../../format/shell";
import { bootstrap } from "../bootstrap";

const FLAGS: Record<ResourceType, string> = {
  TOPIC: "--topic",
  GROUP: "--group",
  CLUSTER: "--cluster",
  TRANSACTIONAL_ID: "--transactional-id",
  DELEGATION_TOKEN: "--delegation-token",
  USER: "--user-principal",
};

/** `DESCRIBE_CONFIGS` is `DescribeConfigs` there. */
function operationWord(operation: string): string {
  return operation.toLowerCase().replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

export function aclCommand(cluster: Cluster, action: "--add" | "--remove", acls: readonly Acl[]): string {
  const groups = new Map<string, Acl[]>();
  for (const acl of acls) {
    const key = JSON.stringify([acl.permission, acl.principal, acl.host, acl.resource_type, acl.pattern_type, acl.resource_name]);
    groups.set(key, [...(groups.get(key) ?? []), acl]);
  }
  return [...groups.values()].map((each) => oneCommand(cluster, action, each)).join("\n");
}

function oneCommand(cluster: Cluster, action: string, acls: readonly Acl[]): string {
  const first = acls[0];
  if (first === undefined) return "";
  const side = first.permission === "ALLOW" ? "allow" : "deny";
  return command(
    "kafka-acls",
    "--bootstrap-server",
    bootstrap(cluster),
    action,
    ...(action === "--remove" ? ["--force"] : []),
    `--${side}-principal`,
    first.principal,
    ...(first.host === "*" ? [] : [`--${side}-host`, first.host]),
    ...acls.flatMap((each) => ["--operation", operationWord(each.operation)]),
    FLAGS[first.resource_type],
    ...(first.resource_type === "CLUSTER" ? [] : [first.resource_name]),
    ...(first.pattern_type === "PREFIXED" ? ["--resource-pattern-type", "prefixed"] : []),
  );
}
