import { useId, useState } from "preact/hooks";
import { path, send } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import { hasSchema, type ProducedRecords, WRITTEN_FORMATS } from "../../api/messages";
import type { Topic } from "../../api/topics";
import { ActionDialog } from "../../components/Dialog";
import { Icon } from "../../components/Icon";
import { toast } from "../../components/toasts";
import { t } from "../../i18n/text";
import { formatName } from "./columns";
import { riachoProduce } from "./commands";
import { EMPTY_FORM, isJsonWrong, type RecordForm, recordOf } from "./record";
import { writtenText } from "./ReplayDialog";

export interface ProduceDialogProps {
  cluster: Cluster;
  topic: Topic;
  initial: RecordForm;
  onClose(): void;
  onDone(): void;
}

export function ProduceDialog({ cluster, topic, initial, onClose, onDone }: ProduceDialogProps) {
  const [form, setForm] = useState(initial);
  const [isKept, setKept] = useState(false);
  const [sent, setSent] = useState<string | null>(null);
  const id = useId();
  const at = path`/clusters/${cluster.id}/topics/${topic.name}/messages`;
  const put = (change: Partial<RecordForm>): void => setForm((before) => ({ ...before, ...change }));
  const header = (index: number, change: Partial<Record<0 | 1, string>>): void =>
    put({ headers: form.headers.map((each, own) => (own === index ? [change[0] ?? each[0], change[1] ?? each[1]] : each)) });
  const body = { records: [recordOf(form)] };
  const isWrong = isJsonWrong(form);
  let isOpen = false;
  return (
    <ActionDialog
      title={t(initial === EMPTY_FORM ? "messages.produce" : "messages.edit")}
      verb={t("messages.send")}
      size="large"
      action={{ method: "POST", path: at, body, command: riachoProduce(form, topic.name, cluster) ?? undefined }}
      isReady={!isWrong}
      onClose={() => {
        if (!isOpen) onClose();
        isOpen = false;
      }}
      onRun={async () => {
        const answer = await send<ProducedRecords>("POST", at, body);
        const [first] = answer.records;
        const text = first === undefined ? "" : writtenText(first);
        onDone();
        if (isKept) {
          isOpen = true;
          setSent(text);
        } else toast({ text });
      }}
    >
      <div class="produce">
        <div class="field">
          <div class="produce-head">
            <label for={`${id}-key`}>{t("messages.key")}</label>
            <Format label={t("messages.key_format")} value={form.keyFormat} schemaId={form.keySchemaId} isDisabled={!form.hasKey} onChange={(keyFormat, keySchemaId) => put({ keyFormat, keySchemaId })} />
            <label class="check">
              <input type="checkbox" checked={!form.hasKey} onChange={(event) => put({ hasKey: !event.currentTarget.checked })} />
              {t("messages.no_key")}
            </label>
          </div>
          <input id={`${id}-key`} class="input mono" value={form.hasKey ? form.key : ""} disabled={!form.hasKey} autocomplete="off" spellcheck={false} onInput={(event) => put({ key: event.currentTarget.value })} />
        </div>
        <div class="field">
          <div class="produce-head">
            <label for={`${id}-value`}>{t("messages.value")}</label>
            <Format label={t("messages.value_format")} value={form.valueFormat} schemaId={form.valueSchemaId} isDisabled={form.isTombstone} onChange={(valueFormat, valueSchemaId) => put({ valueFormat, valueSchemaId })} />
            <label class="check">
              <input type="checkbox" checked={form.isTombstone} onChange={(event) => put({ isTombstone: event.currentTarget.checked })} />
              {t("messages.tombstone")}
            </label>
          </div>
          <textarea
            id={`${id}-value`}
            class="input mono produce-value"
            rows={10}
            value={form.isTombstone ? "" : form.value}
            disabled={form.isTombstone}
            aria-invalid={isWrong}
            spellcheck={false}
            placeholder={form.valueFormat === "json" ? '{"hello": "world"}' : ""}
            onInput={(event) => put({ value: event.currentTarget.value })}
          />
          <span class={isWrong ? "wrong" : "hint"}>{isWrong ? t("messages.no_json") : form.isTombstone ? t("messages.tombstone_about") : "\u00a0"}</span>
        </div>
        <fieldset class="field">
          <legend>{t("messages.headers")}</legend>
          {form.headers.map(([name, text], index) => (
            <div key={index} class="produce-header">
              <input class="input mono" value={name} aria-label={t("messages.header_name")} placeholder={t("messages.header_name")} spellcheck={false} onInput={(event) => header(index, { 0: event.currentTarget.value })} />
              <input class="input mono" value={text} aria-label={t("messages.header_value")} placeholder={t("messages.header_value")} spellcheck={false} onInput={(event) => header(index, { 1: event.currentTarget.value })} />
              <button type="button" class="button quiet icon" aria-label={t("action.remove")} onClick={() => put({ headers: form.headers.filter((_, own) => own !== index) })}>
                <Icon name="close" />
              </button>
            </div>
          ))}
          <button type="button" class="button produce-add" onClick={() => put({ headers: [...form.headers, ["", ""]] })}>
            <Icon name="plus" />
            {t("messages.add_header")}
          </button>
        </fieldset>
        <div class="row wrap">
          <label for={`${id}-partition`}>{t("partition.number")}</label>
          <select id={`${id}-partition`} class="input produce-partition" value={form.partition} onChange={(event) => put({ partition: event.currentTarget.value })}>
            <option value="">{t("messages.by_key")}</option>
            {Array.from({ length: topic.partitions }, (_, each) => (
              <option key={each} value={String(each)}>
                {each}
              </option>
            ))}
          </select>
          <span class="push" />
          <label class="check">
            <input type="checkbox" checked={isKept} onChange={(event) => setKept(event.currentTarget.checked)} />
            {t("messages.keep")}
          </label>
        </div>
        <p class="soft" role="status">
          {sent ?? "\u00a0"}
        </p>
      </div>
    </ActionDialog>
  );
}

function Format({ label, value, schemaId, isDisabled, onChange }: { label: string; value: string; schemaId: string; isDisabled: boolean; onChange(format: string, schemaId: string): void }) {
  return (
    <>
      <span class="push" />
      {hasSchema(value) && (
        <input
          class="input number produce-schema"
          inputMode="numeric"
          value={schemaId}
          disabled={isDisabled}
          placeholder={t("messages.schema_latest")}
          aria-label={t("messages.schema_of", { what: label })}
          title={t("messages.schema_hint")}
          onInput={(event) => onChange(value, event.currentTarget.value.trim())}
        />
      )}
      <select class="input produce-format" aria-label={label} value={value} disabled={isDisabled} onChange={(event) => onChange(event.currentTarget.value, schemaId)}>
        {WRITTEN_FORMATS.map((format) => (
          <option key={format} value={format}>
            {formatName(format)}
          </option>
        ))}
      </select>
    </>
  );
}
