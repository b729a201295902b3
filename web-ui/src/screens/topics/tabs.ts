// The tabs of a topic's page. A slice adds its line here.
import type { ComponentType } from "preact";
import type { Cluster, Part } from "../../api/clusters";
import type { Topic } from "../../api/topics";
import { lazy } from "../../components/lazy";
import type { Key } from "../../i18n/text";

export interface TopicTabProps {
  cluster: Cluster;
  topic: Topic;
  /** After a change: the topic is asked for again. */
  onChanged(): void;
}

export interface TopicTab {
  id: string;
  title: Key;
  component: ComponentType<TopicTabProps>;
  needs?: Part;
}

/** The first one opens by itself. */
export const TOPIC_TABS: readonly TopicTab[] = [
  { id: "messages", title: "topics.messages", component: lazy(() => import("../messages/MessagesTab")) },
  { id: "partitions", title: "topic.partitions", component: lazy(() => import("./PartitionsTab")) },
  { id: "consumers", title: "topic.consumers", component: lazy(() => import("./ConsumersTab")) },
  { id: "schema", title: "schema.text", component: lazy(() => import("../schemas/TopicSchemaTab")), needs: "schema_registry" },
  { id: "producers", title: "producers.title", component: lazy(() => import("./ProducersTab")) },
  { id: "config", title: "topic.config", component: lazy(() => import("./ConfigTab")) },
  { id: "acls", title: "acls.title", component: lazy(() => import("./AclsTab")) },
  { id: "metrics", title: "metrics.title", component: lazy(() => import("./MetricsTab")) },
];
