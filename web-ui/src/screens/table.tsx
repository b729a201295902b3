// Every screen there is. A slice adds its line here and nothing else elsewhere: navigation, palette, keys and help read this.
import type { ComponentType } from "preact";
import type { Cluster, Part } from "../api/clusters";
import type { IconName } from "../components/Icon";
import type { Key } from "../i18n/text";
import type { Params } from "../router";

export interface ScreenProps {
  params: Params;
  /** The cluster of the path; null on screens of no cluster. */
  cluster: Cluster | null;
}

export type NavGroup = "main" | "data" | "work" | "cluster";
export const NAV_GROUPS: readonly { id: NavGroup; title: Key | null }[] = [
  { id: "main", title: null },
  { id: "data", title: "nav.data" },
  { id: "work", title: "nav.work" },
  { id: "cluster", title: "nav.cluster" },
];

export interface Screen {
  path: string;
  title: Key;
  load(): Promise<{ default: ComponentType<ScreenProps> }>;
  /** Where it stands in the navigation; a page of one thing stands nowhere. */
  nav?: { group: NavGroup; icon: IconName };
  /** After `g`. */
  shortcut?: string;
  /** Hidden where the cluster has no such service; of several one is enough. */
  needs?: Part | readonly Part[];
}

export const SCREENS: readonly Screen[] = [
  { path: "/clusters/:cluster", title: "overview.title", load: () => import("./overview/OverviewScreen"), nav: { group: "main", icon: "overview" }, shortcut: "o" },
  { path: "/clusters/:cluster/flow", title: "flow.title", load: () => import("./flow/FlowScreen"), nav: { group: "main", icon: "flow" }, shortcut: "f" },
  { path: "/clusters/:cluster/topics", title: "topics.title", load: () => import("./topics/TopicsScreen"), nav: { group: "data", icon: "topics" }, shortcut: "t" },
  { path: "/clusters/:cluster/topics/:topic/:tab?", title: "topic.title", load: () => import("./topics/TopicScreen") },
  { path: "/clusters/:cluster/schemas", title: "schemas.title", load: () => import("./schemas/SchemasScreen"), nav: { group: "data", icon: "schemas" }, shortcut: "s", needs: "schema_registry" },
  { path: "/clusters/:cluster/schemas/:subject/:tab?", title: "schemas.subject", load: () => import("./schemas/SubjectScreen"), needs: "schema_registry" },
  { path: "/clusters/:cluster/groups", title: "groups.title", load: () => import("./groups/GroupsScreen"), nav: { group: "work", icon: "groups" }, shortcut: "g" },
  { path: "/clusters/:cluster/groups/:group/:tab?", title: "group.title", load: () => import("./groups/GroupScreen") },
  { path: "/clusters/:cluster/connectors", title: "connectors.title", load: () => import("./connectors/ConnectorsScreen"), nav: { group: "work", icon: "connectors" }, shortcut: "c", needs: "connect" },
  { path: "/clusters/:cluster/connectors/:connector/:tab?", title: "connector.title", load: () => import("./connectors/ConnectorScreen") },
  { path: "/clusters/:cluster/connector-plugins", title: "plugins.title", load: () => import("./connectors/PluginsScreen") },
  { path: "/clusters/:cluster/connector-plugins/:plugin", title: "connectors.create", load: () => import("./connectors/CreateScreen") },
  { path: "/clusters/:cluster/pipelines", title: "pipelines.title", load: () => import("./pipelines/PipelinesScreen"), nav: { group: "work", icon: "pipelines" }, shortcut: "p", needs: ["connect", "ksql"] },
  { path: "/clusters/:cluster/transactions", title: "transactions.title", load: () => import("./transactions/TransactionsScreen"), nav: { group: "work", icon: "transactions" }, shortcut: "x" },
  { path: "/clusters/:cluster/transactions/:transaction", title: "transactions.one", load: () => import("./transactions/TransactionScreen") },
  { path: "/clusters/:cluster/sql/:tab?", title: "sql.title", load: () => import("./sql/SqlScreen"), nav: { group: "work", icon: "sql" }, shortcut: "q", needs: "ksql" },
  { path: "/clusters/:cluster/brokers", title: "brokers.title", load: () => import("./brokers/BrokersScreen"), nav: { group: "cluster", icon: "brokers" }, shortcut: "b" },
  { path: "/clusters/:cluster/brokers/defaults", title: "brokers.defaults", load: () => import("./brokers/DefaultsScreen") },
  { path: "/clusters/:cluster/brokers/:broker/:tab?", title: "broker.title", load: () => import("./brokers/BrokerScreen") },
  { path: "/clusters/:cluster/moves", title: "moves.title", load: () => import("./moves/MovesScreen") },
  { path: "/clusters/:cluster/metrics", title: "metrics.title", load: () => import("./metrics/MetricsScreen"), nav: { group: "cluster", icon: "metrics" }, shortcut: "m" },
  { path: "/clusters/:cluster/alerts/:tab?", title: "alerts.title", load: () => import("./alerts/AlertsScreen"), nav: { group: "cluster", icon: "alerts" }, shortcut: "a" },
  { path: "/clusters/:cluster/security/:tab?", title: "security.title", load: () => import("./security/SecurityScreen"), nav: { group: "cluster", icon: "security" }, shortcut: "u" },
  { path: "/audit", title: "audit.title", load: () => import("./audit/AuditScreen"), nav: { group: "cluster", icon: "audit" }, shortcut: "l" },
  { path: "/components", title: "components.title", load: () => import("./components/ComponentsScreen") },
];
