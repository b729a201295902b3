// The same bytes once more: key, value and headers as they are, here or in another topic. The server takes them from the
// topic itself, so that nothing is decoded on the way. As a command there is curl alone: `riacho consume | riacho produce`
// would keep the record's old time and its partition.
import { useId, useState } from "preact/hooks";
import { send } from "../../api/client";
import type { Message, ProducedRecord } from "../../api/messages";
import { isTopicName, type Topic } from "../../api/topics";
import { ActionDialog } from "../../components/Dialog";
import { toast } from "../../components/toasts";
import { t } from "../../i18n/text";
import { originOf } from "./record";

export interface ReplayDialogProps {
  topic: Topic;
  message: Message;
  /** Where the message is, in the API. */
  at: string;
  onClose(): void;
  onDone(): void;
}

export function ReplayDialog({ topic, message, at, onClose, onDone }: ReplayDialogProps) {
  const origin = originOf(message);
  const [to, setTo] = useState(origin ?? topic.name);
  const [isSame, setSame] = useState(true);
  const [isPlain, setPlain] = useState(true);
  const id = useId();
  const isHere = to === topic.name;
  const body = { topic: to, partition: isHere && isSame ? message.partition : null, drop_error_headers: origin !== null && isPlain };
  return (
    <ActionDialog
      title={t("messages.replay_title", { partition: String(message.partition), offset: String(message.offset) })}
      verb={t("messages.replay")}
      size="small"
      action={{ method: "POST", path: `${at}/replay`, body }}
      isReady={isTopicName(to)}
      onClose={onClose}
      onRun={async () => {
        toast({ text: writtenText(await send<ProducedRecord>("POST", `${at}/replay`, body)) });
        onDone();
      }}
    >
      <p>{t(origin === null ? "messages.replay_why" : "messages.replay_letter")}</p>
      <div class="field">
        <label for={id}>{t("topic.title")}</label>
        <input id={id} class="input mono" value={to} autocomplete="off" spellcheck={false} aria-invalid={!isTopicName(to)} onInput={(event) => setTo(event.currentTarget.value.trim())} />
      </div>
      <label class="check">
        <input type="checkbox" checked={isSame && isHere} disabled={!isHere} onChange={(event) => setSame(event.currentTarget.checked)} />
        {t("messages.same_partition", { n: String(message.partition) })}
      </label>
      {origin !== null && (
        <label class="check">
          <input type="checkbox" checked={isPlain} onChange={(event) => setPlain(event.currentTarget.checked)} />
          {t("messages.replay_plain")}
        </label>
      )}
    </ActionDialog>
  );
}

export function writtenText(written: ProducedRecord): string {
  return t("messages.written", { partition: String(written.partition), offset: String(written.offset ?? "") });
}
