// A file a noun, as in en.ts.
import type { Catalogue } from "./text";
import { alerts } from "./pt-BR/alerts";
import { audit } from "./pt-BR/audit";
import { brokers } from "./pt-BR/brokers";
import { components } from "./pt-BR/components";
import { connectors } from "./pt-BR/connectors";
import { flow } from "./pt-BR/flow";
import { groups } from "./pt-BR/groups";
import { messages } from "./pt-BR/messages";
import { metrics } from "./pt-BR/metrics";
import { moves } from "./pt-BR/moves";
import { overview } from "./pt-BR/overview";
import { schemas } from "./pt-BR/schemas";
import { pipelines } from "./pt-BR/pipelines";
import { quotas } from "./pt-BR/quotas";
import { security } from "./pt-BR/security";
import { shell } from "./pt-BR/shell";
import { sql } from "./pt-BR/sql";
import { topics } from "./pt-BR/topics";
import { transactions } from "./pt-BR/transactions";
import { users } from "./pt-BR/users";

export const ptBR: Catalogue = {
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
};
