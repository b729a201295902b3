// What an application needs to do its work, as entries: those that `kafka-acls --producer` and `--consumer` make, and what
// a Kafka Streams application needs besides.
import { type Acl, type AclOperation, CLUSTER_RESOURCE, type PatternType, type ResourceType } from "../../api/acls";

export const PURPOSES = ["producer", "idempotent", "transactional", "consumer", "streams"] as const;
export type Purpose = (typeof PURPOSES)[number];

export interface PurposeForm {
  purpose: Purpose;
  principal: string;
  host: string;
  /** Names, with commas between; `*` at the end is a prefix, alone it is any. Of streams: what it reads. */
  topics: string;
  /** Of streams: what it writes. */
  outputs: string;
  /** The group, the transactional id or the application id. */
  name: string;
  pattern: PatternType;
  isExactlyOnce: boolean;
}

interface Resource {
  type: ResourceType;
  name: string;
  pattern: PatternType;
}

const WRITES: readonly AclOperation[] = ["WRITE", "DESCRIBE", "CREATE"];
const READS: readonly AclOperation[] = ["READ", "DESCRIBE"];
const IN_TRANSACTIONS: readonly AclOperation[] = ["WRITE", "DESCRIBE"];
/** Repartition topics and changelogs: made, looked at, purged and deleted by the application itself. */
const OWNS: readonly AclOperation[] = ["READ", "WRITE", "CREATE", "DELETE", "DESCRIBE", "DESCRIBE_CONFIGS"];

export const NEEDS_NAME: Record<Purpose, boolean> = { producer: false, idempotent: false, transactional: true, consumer: true, streams: true };

export function isPrincipal(text: string): boolean {
  return /^[^:\s]+:.+$/.test(text);
}

/** Topics of a list: no topic's name has a comma or a star in it. */
export function topicsOf(text: string): Resource[] {
  const names = [...new Set(text.split(",").map((each) => each.trim()))].filter((each) => each !== "");
  return names.map((name) => (name.length > 1 && name.endsWith("*") ? { type: "TOPIC", name: name.slice(0, -1), pattern: "PREFIXED" } : { type: "TOPIC", name, pattern: "LITERAL" }));
}

/** Every entry that will be made; null while the form is not whole. */
export function entriesOf(form: PurposeForm): Acl[] | null {
  const topics = topicsOf(form.topics);
  const outputs = topicsOf(form.outputs);
  const isNamed = !NEEDS_NAME[form.purpose] || form.name.trim() !== "";
  const hasTopics = form.purpose === "streams" ? topics.length + outputs.length > 0 : topics.length > 0;
  if (!isPrincipal(form.principal) || form.host.trim() === "" || !isNamed || !hasTopics) return null;
  return rightsOf(form, topics, outputs).flatMap(([resource, operations]) => operations.map((operation) => entry(form, resource, operation)));
}

function rightsOf(form: PurposeForm, topics: Resource[], outputs: Resource[]): [Resource, readonly AclOperation[]][] {
  const each = (resources: Resource[], operations: readonly AclOperation[]): [Resource, readonly AclOperation[]][] => resources.map((resource) => [resource, operations]);
  const named = (type: ResourceType, pattern: PatternType): Resource => ({ type, name: form.name, pattern });
  switch (form.purpose) {
    case "producer":
      return each(topics, WRITES);
    case "idempotent":
      return [...each(topics, WRITES), [{ type: "CLUSTER", name: CLUSTER_RESOURCE, pattern: "LITERAL" }, ["IDEMPOTENT_WRITE"]]];
    case "transactional":
      return [...each(topics, WRITES), [named("TRANSACTIONAL_ID", form.pattern), IN_TRANSACTIONS]];
    case "consumer":
      return [...each(topics, READS), [named("GROUP", form.pattern), ["READ"]]];
    case "streams":
      return [
        ...each(topics, READS),
        ...each(outputs, IN_TRANSACTIONS),
        [named("TOPIC", "PREFIXED"), OWNS],
        [named("GROUP", "LITERAL"), READS],
        // Each of its threads has one that begins with the application's id.
        ...each(form.isExactlyOnce ? [named("TRANSACTIONAL_ID", "PREFIXED")] : [], IN_TRANSACTIONS),
      ];
  }
}

function entry(form: PurposeForm, resource: Resource, operation: AclOperation): Acl {
  return { resource_type: resource.type, resource_name: resource.name, pattern_type: resource.pattern, principal: form.principal, operation, host: form.host, permission: "ALLOW" };
}
