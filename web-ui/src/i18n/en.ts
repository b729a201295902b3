// The catalogue: a file a noun. A slice adds its own file here and in pt-BR.ts; a key that one of them lacks is a type error.
import { alerts } from "./en/alerts";
import { audit } from "./en/audit";
import { brokers } from "./en/brokers";
import { components } from "./en/components";
import { connectors } from "./en/connectors";
import { flow } from "./en/flow";
import { groups } from "./en/groups";
import { messages } from "./en/messages";
import { metrics } from "./en/metrics";
import { moves } from "./en/moves";
import { overview } from "./en/overview";
import { schemas } from "./en/schemas";
import { pipelines } from "./en/pipelines";
import { quotas } from "./en/quotas";
import { security } from "./en/security";
import { shell } from "./en/shell";
import { sql } from "./en/sql";
import { topics } from "./en/topics";
import { transactions } from "./en/transactions";
import { users } from "./en/users";

export const en = {
  ...shell,
  ...components,
  ...overview,
  ...topics,
  ...brokers,
  ...moves,
  ...groups,
  ...messages,
  ...flow,
  ...metrics,
  ...alerts,
  ...schemas,
  ...connectors,
  ...pipelines,
  ...users,
  ...transactions,
  ...security,
  ...quotas,
  ...audit,
  ...sql,
} as const;
