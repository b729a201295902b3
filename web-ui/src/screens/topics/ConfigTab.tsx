import { path } from "../../api/client";
import type { ConfigChange, ConfigEntry } from "../../api/configs";
import { useApi } from "../../api/use_api";
import { ConfigTable } from "../../components/ConfigTable";
import { ErrorState } from "../../components/EmptyState";
import { alterCommand } from "../alter_command";
import type { TopicTabProps } from "./tabs";

export default function ConfigTab({ cluster, topic, onChanged }: TopicTabProps) {
  const at = path`/clusters/${cluster.id}/topics/${topic.name}/config`;
  const loaded = useApi<ConfigEntry[]>(at);
  if (loaded.data === null && loaded.error !== null) return <ErrorState error={loaded.error} onRetry={loaded.reload} />;
  return (
    <ConfigTable
      id="topic-config"
      own="DYNAMIC_TOPIC_CONFIG"
      entries={loaded.data}
      isSlow={loaded.isSlow}
      path={at}
      command={(change: ConfigChange) => alterCommand(cluster, "topics", topic.name, change)}
      onChanged={() => {
        loaded.reload();
        onChanged();
      }}
    />
  );
}
