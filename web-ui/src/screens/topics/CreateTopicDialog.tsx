import { useId, useState } from "preact/hooks";
import { path, send } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import { isTopicName, type NewTopic } from "../../api/topics";
import { Combobox } from "../../components/Combobox";
import { ActionDialog } from "../../components/Dialog";
import { Icon } from "../../components/Icon";
import { toast } from "../../components/toasts";
import { t } from "../../i18n/text";
import { build, navigate } from "../../router";
import { createCommand } from "./create_command";

/** The settings that people set when they make a topic; any other may be typed. */
const USUAL = ["cleanup.policy", "compression.type", "max.message.bytes", "min.insync.replicas", "retention.bytes", "retention.ms", "segment.bytes"];
const VALUES: Record<string, readonly string[]> = {
  "cleanup.policy": ["delete", "compact", "compact,delete"],
  "compression.type": ["producer", "zstd", "lz4", "snappy", "gzip", "uncompressed"],
  "retention.ms": ["3600000", "86400000", "604800000", "2592000000", "-1"],
};

export function CreateTopicDialog({ cluster, onClose, onDone }: { cluster: Cluster; onClose(): void; onDone(): void }) {
  const [name, setName] = useState("");
  const [partitions, setPartitions] = useState("");
  const [replication, setReplication] = useState("");
  const [config, setConfig] = useState<[string, string][]>([]);
  const id = useId();
  const isNameWrong = name !== "" && !isTopicName(name);
  const body: NewTopic = {
    name,
    partitions: partitions === "" ? null : Number(partitions),
    replication: replication === "" ? null : Number(replication),
    config: Object.fromEntries(config.filter(([key]) => key !== "")),
  };
  const isReady = isTopicName(name) && isCountOrNothing(partitions) && isCountOrNothing(replication);
  const at = path`/clusters/${cluster.id}/topics`;
  const setLine = (index: number, line: [string, string] | null): void => setConfig(config.flatMap((each, at) => (at !== index ? [each] : line === null ? [] : [line])));
  return (
    <ActionDialog
      title={t("topics.create")}
      verb={t("topics.create_verb")}
      action={{ method: "POST", path: at, body, command: createCommand(cluster, body) }}
      isReady={isReady}
      onClose={onClose}
      onRun={async () => {
        await send("POST", at, body);
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
      <div class="field">
        <label for={`${id}-name`}>{t("topics.name")}</label>
        <input
          id={`${id}-name`}
          class="input mono"
          value={name}
          required
          autocomplete="off"
          spellcheck={false}
          aria-invalid={isNameWrong}
          aria-describedby={`${id}-name-hint`}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <span id={`${id}-name-hint`} class={isNameWrong ? "wrong" : "hint"}>
          {t("topics.name_rule")}
        </span>
      </div>
      <div class="two-columns">
        <div class="field">
          <label for={`${id}-partitions`}>{t("topics.partitions")}</label>
          <input id={`${id}-partitions`} class="input number" type="number" min={1} value={partitions} placeholder={t("topics.default")} onInput={(event) => setPartitions(event.currentTarget.value)} />
          <span class="hint">{t("topics.partitions_hint")}</span>
        </div>
        <div class="field">
          <label for={`${id}-replication`}>{t("topics.replication")}</label>
          <input id={`${id}-replication`} class="input number" type="number" min={1} value={replication} placeholder={t("topics.default")} onInput={(event) => setReplication(event.currentTarget.value)} />
          <span class="hint">{t("topics.replication_hint")}</span>
        </div>
      </div>
      <fieldset class="stack tight">
        <legend>{t("topics.settings")}</legend>
        {config.map(([key, value], index) => (
          <div key={index} class="config-lines">
            <Combobox label={t("config.name")} value={key} options={USUAL} onChange={(next) => setLine(index, [next, value])} />
            <Combobox label={t("config.value")} value={value} options={VALUES[key] ?? []} onChange={(next) => setLine(index, [key, next])} />
            <button type="button" class="button quiet icon" aria-label={t("action.remove")} title={t("action.remove")} onClick={() => setLine(index, null)}>
              <Icon name="close" />
            </button>
          </div>
        ))}
        <div>
          <button type="button" class="button" onClick={() => setConfig([...config, ["", ""]])}>
            <Icon name="plus" />
            {t("topics.add_setting")}
          </button>
        </div>
      </fieldset>
    </ActionDialog>
  );
}

function isCountOrNothing(text: string): boolean {
  return text === "" || (/^\d+$/.test(text) && Number(text) >= 1);
}
