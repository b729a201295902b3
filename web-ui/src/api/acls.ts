// Access control entries, in Kafka's words.
import type { Page } from "./list";

export type ResourceType = "TOPIC" | "GROUP" | "CLUSTER" | "TRANSACTIONAL_ID" | "DELEGATION_TOKEN" | "USER";
export type PatternType = "LITERAL" | "PREFIXED";
export type AclOperation =
  | "ALL"
  | "READ"
  | "WRITE"
  | "CREATE"
  | "DELETE"
  | "ALTER"
  | "DESCRIBE"
  | "CLUSTER_ACTION"
  | "DESCRIBE_CONFIGS"
  | "ALTER_CONFIGS"
  | "IDEMPOTENT_WRITE"
  | "CREATE_TOKENS"
  | "DESCRIBE_TOKENS"
  | "TWO_PHASE_COMMIT";
export type Permission = "ALLOW" | "DENY";

export interface Acl {
  resource_type: ResourceType;
  resource_name: string;
  pattern_type: PatternType;
  principal: string;
  operation: AclOperation;
  host: string;
  permission: Permission;
}

export interface AclPage extends Page<Acl> {
  /** Without one everybody may do everything, and there are no entries. */
  has_authorizer: boolean;
}

/** What the only resource of its kind is called. */
export const CLUSTER_RESOURCE = "kafka-cluster";

/** The operations that Kafka looks for on each kind of resource. */
export const OPERATIONS: Record<ResourceType, readonly AclOperation[]> = {
  TOPIC: ["READ", "WRITE", "CREATE", "DELETE", "ALTER", "DESCRIBE", "DESCRIBE_CONFIGS", "ALTER_CONFIGS", "ALL"],
  GROUP: ["READ", "DELETE", "DESCRIBE", "DESCRIBE_CONFIGS", "ALTER_CONFIGS", "ALL"],
  CLUSTER: ["CREATE", "ALTER", "DESCRIBE", "CLUSTER_ACTION", "DESCRIBE_CONFIGS", "ALTER_CONFIGS", "IDEMPOTENT_WRITE", "ALL"],
  TRANSACTIONAL_ID: ["WRITE", "DESCRIBE", "TWO_PHASE_COMMIT", "ALL"],
  DELEGATION_TOKEN: ["DESCRIBE", "ALL"],
  USER: ["CREATE_TOKENS", "DESCRIBE_TOKENS", "ALL"],
};

export const RESOURCE_TYPES = Object.keys(OPERATIONS) as ResourceType[];

/** Two of them are the same entry exactly when their keys are. */
export function aclKey(acl: Acl): string {
  return JSON.stringify([acl.principal, acl.permission, acl.operation, acl.resource_type, acl.pattern_type, acl.resource_name, acl.host]);
}
