// The same bytes once more: key, value and headers as they are, here or in another topic.
import { useId, useState } from "preact/hooks";
import { get, path, send } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import type { Message, ProducedRecords } from "../../api/messages";
import { isTopicName, type Topic } from "../../api/topics";
import { ActionDialog } from "../../components/Dialog";
import { toast } from "../../components/toasts";
import { t } from "../../i18n/text";
import { replayOf } from "./record";

export interface ReplayDialogProps {
  cluster: Cluster;
  topic: Topic;
  place: Pick<Message, "partition" | "offset">;
  at: string;
  onClose(): void;
  onDone(): void;
}

export function ReplayDialog({ cluster, topic, place, at, onClose, onDone }: ReplayDialogProps) {
  const [to, setTo] = useState(topic.name);
  const [isSame, setSame] = useState(true);
  const id = useId();
  const isHere = to === topic.name;
  const target = path`/clusters/${cluster.id}/topics/${to}/messages`;
  return (
    <ActionDialog
      title={t("messages.replay_title", { partition: String(place.partition), offset: String(place.offset) })}
      verb={t("messages.replay")}
      size="small"
      action={{ method: "GET", path: at, query: { key_format: "hex", value_format: "hex" } }}
      isReady={isTopicName(to)}
      onClose={onClose}
      onRun={async () => {
        const record = replayOf(await get<Message>(at, { key_format: "hex", value_format: "hex" }), isHere && isSame ? place.partition : null);
        if (record === null) throw new Error(t("messages.masked_kept"));
        const answer = await send<ProducedRecords>("POST", target, { records: [record] });
        toast({ text: writtenText(answer) });
        onDone();
      }}
    >
      <p>{t("messages.replay_why")}</p>
      <div class="field">
        <label for={id}>{t("topic.title")}</label>
        <input id={id} class="input mono" value={to} autocomplete="off" spellcheck={false} aria-invalid={!isTopicName(to)} onInput={(event) => setTo(event.currentTarget.value.trim())} />
      </div>
      <label class="check">
        <input type="checkbox" checked={isSame && isHere} disabled={!isHere} onChange={(event) => setSame(event.currentTarget.checked)} />
        {t("messages.same_partition", { n: String(place.partition) })}
      </label>
    </ActionDialog>
  );
}

export function writtenText(answer: ProducedRecords): string {
  const [first] = answer.records;
  return t("messages.written", { partition: String(first?.partition ?? ""), offset: String(first?.offset ?? "") });
}
