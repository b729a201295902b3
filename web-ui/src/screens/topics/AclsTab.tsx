import { path } from "../../api/client";
import { EmptyState } from "../../components/EmptyState";
import { command } from "../../format/shell";
import { t } from "../../i18n/text";
import { bootstrap } from "../bootstrap";
import { AclList } from "../security/AclList";
import { AclTools } from "../security/AclTools";
import type { TopicTabProps } from "./tabs";

/** Those that are about this topic: by its name, by a prefix of it, or about any. */
export default function AclsTab({ cluster, topic }: TopicTabProps) {
  return (
    <AclList
      id="topic-acls"
      cluster={cluster}
      path={path`/clusters/${cluster.id}/topics/${topic.name}/acls`}
      tools={(reload) => <AclTools cluster={cluster} topic={topic.name} onDone={reload} />}
      empty={
        <EmptyState title={t("acls.none_of_topic")} command={command("kafka-acls", "--bootstrap-server", bootstrap(cluster), "--add", "--allow-principal", "User:ana", "--producer", "--topic", topic.name)}>
          {t("acls.none_of_topic_how")}
        </EmptyState>
      }
    />
  );
}
