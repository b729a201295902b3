// What can be done to a topic: more partitions, emptying, copying its settings, deleting.
import { useId, useState } from "preact/hooks";
import { path, send } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import { isTopicName, type Topic, type TopicRow } from "../../api/topics";
import { useApi } from "../../api/use_api";
import { ActionDialog, TypedNameDialog } from "../../components/Dialog";
import { toast } from "../../components/toasts";
import { command, quoted } from "../../format/shell";
import { t } from "../../i18n/text";
import { build, currentPlace, navigate } from "../../router";
import { bootstrap } from "../bootstrap";
import { createCommand } from "./create_command";

export interface TopicDialogProps {
  cluster: Cluster;
  topic: TopicRow;
  onClose(): void;
  onDone(): void;
}

export function PartitionsDialog({ cluster, topic, onClose, onDone }: TopicDialogProps) {
  const [count, setCount] = useState(String(topic.partitions + 1));
  const id = useId();
  const at = path`/clusters/${cluster.id}/topics/${topic.name}/partitions`;
  const body = { count: Number(count) };
  return (
    <TypedNameDialog
      title={t("topic.add_partitions")}
      verb={t("topic.add_partitions")}
      name={topic.name}
      action={{ method: "POST", path: at, body, command: command("kafka-topics", "--bootstrap-server", bootstrap(cluster), "--alter", "--topic", topic.name, "--partitions", count) }}
      isReady={/^\d+$/.test(count) && Number(count) > topic.partitions}
      onClose={onClose}
      onRun={async () => {
        await send("POST", at, body);
        toast({ text: t("topic.partitions_added", { n: body.count }) });
        onDone();
      }}
    >
      <p>{t("topic.add_partitions_why")}</p>
      <div class="field">
        <label for={id}>{t("topics.partitions")}</label>
        <input id={id} class="input number" type="number" min={topic.partitions + 1} value={count} onInput={(event) => setCount(event.currentTarget.value)} />
        <span class="hint">{t("topic.partitions_now", { n: topic.partitions })}</span>
      </div>
    </TypedNameDialog>
  );
}

export function CloneDialog({ cluster, topic, onClose, onDone }: TopicDialogProps) {
  const [name, setName] = useState(`${topic.name}-copy`);
  const id = useId();
  const at = path`/clusters/${cluster.id}/topics/${topic.name}/clone`;
  // What it has set of its own is no part of a list's row.
  const config = useApi<Topic>(path`/clusters/${cluster.id}/topics/${topic.name}`).data?.config_overrides ?? null;
  return (
    <ActionDialog
      title={t("topic.clone")}
      verb={t("topic.clone_verb")}
      size="small"
      action={{
        method: "POST",
        path: at,
        body: { name },
        ...(config === null ? {} : { command: createCommand(cluster, { name, partitions: topic.partitions, replication: topic.replication, config }) }),
      }}
      isReady={isTopicName(name) && name !== topic.name}
      onClose={onClose}
      onRun={async () => {
        await send("POST", at, { name });
        toast({
          text: t("topics.created", { name }),
          undo: async () => {
            await send("DELETE", path`/clusters/${cluster.id}/topics/${name}`);
            navigate(build("/clusters/:cluster/topics", { cluster: cluster.id }));
          },
        });
        onDone();
        navigate(build("/clusters/:cluster/topics/:topic", { cluster: cluster.id, topic: name }));
      }}
    >
      <p>{t("topic.clone_why")}</p>
      <div class="field">
        <label for={id}>{t("topic.clone_name")}</label>
        <input id={id} class="input mono" value={name} autocomplete="off" spellcheck={false} onInput={(event) => setName(event.currentTarget.value)} />
      </div>
    </ActionDialog>
  );
}

export function PurgeDialog({ cluster, topic, onClose, onDone }: TopicDialogProps) {
  const at = path`/clusters/${cluster.id}/topics/${topic.name}/purge`;
  return (
    <TypedNameDialog
      title={t("topic.purge")}
      verb={t("topic.purge_verb")}
      name={topic.name}
      action={{ method: "POST", path: at, body: { partitions: null }, command: purgeCommand(cluster, topic) }}
      onClose={onClose}
      onRun={async () => {
        await send("POST", at, { partitions: null });
        toast({ text: t("topic.purged", { name: topic.name }) });
        onDone();
      }}
    >
      <p>{t("topic.purge_why")}</p>
    </TypedNameDialog>
  );
}

/** Kafka's tool reads a file; -1 is the end of a partition. */
function purgeCommand(cluster: Cluster, topic: TopicRow): string {
  const partitions = Array.from({ length: topic.partitions }, (_, partition) => ({ topic: topic.name, partition, offset: -1 }));
  const file = quoted(JSON.stringify({ version: 1, partitions }));
  return `printf %s ${file} > offsets.json\n${command("kafka-delete-records", "--bootstrap-server", bootstrap(cluster), "--offset-json-file", "offsets.json")}`;
}

export function DeleteDialog({ cluster, topic, onClose, onDone }: TopicDialogProps) {
  const at = path`/clusters/${cluster.id}/topics/${topic.name}`;
  return (
    <TypedNameDialog
      title={t("topic.delete")}
      verb={t("action.delete")}
      name={topic.name}
      action={{ method: "DELETE", path: at, command: command("kafka-topics", "--bootstrap-server", bootstrap(cluster), "--delete", "--topic", topic.name) }}
      onClose={onClose}
      onRun={async () => {
        await send("DELETE", at);
        toast({ text: t("topic.deleted", { name: topic.name }) });
        // From the list it goes on as it was filtered; the topic's own page has nothing left to show.
        const list = build("/clusters/:cluster/topics", { cluster: cluster.id });
        if (currentPlace().path === list) onDone();
        else navigate(list);
      }}
    >
      <p>{t("topic.delete_why", { n: topic.groups ?? 0 })}</p>
    </TypedNameDialog>
  );
}
