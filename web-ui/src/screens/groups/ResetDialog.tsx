// Move a group: say where to, see old and new side by side, then do it.
import { useEffect, useId, useState } from "preact/hooks";
import { get, path, send, sentence } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import type { Group, GroupRow, ResetPreview, ResetRow, ResetTo } from "../../api/groups";
import type { Page } from "../../api/list";
import { Combobox } from "../../components/Combobox";
import { type Column, DataTable } from "../../components/DataTable";
import { ActionDialog } from "../../components/Dialog";
import { EmptyState } from "../../components/EmptyState";
import { Exact } from "../../components/Quantity";
import { StatusMark } from "../../components/StatusMark";
import { toast } from "../../components/toasts";
import { exact } from "../../format/quantity";
import { fieldTime } from "../../format/time";
import { language, t } from "../../i18n/text";
import { offsetRows } from "./group_rows";
import { resetCommand } from "./reset_command";
import { NEEDS_VALUE, type ResetForm, resetRequest } from "./reset_request";

const WAYS: readonly ResetTo[] = ["earliest", "latest", "time", "offset", "shift", "group"];
const PAUSE_MS = 250;

export function ResetDialog({ cluster, group, onClose, onDone }: { cluster: Cluster; group: Group; onClose(): void; onDone(): void }) {
  const [form, setForm] = useState<ResetForm>({ to: "earliest", value: "", topic: "", partitions: "" });
  const [preview, setPreview] = useState<ResetPreview | null>(null);
  const [error, setError] = useState<string | null>(null);
  const id = useId();
  const at = path`/clusters/${cluster.id}/groups/${group.id}/offsets`;
  const known = offsetRows(group);
  const topics = [...new Set(known.map((each) => each.topic))].sort();
  const request = resetRequest(form, known);
  const asked = request === null ? null : JSON.stringify(request);

  useEffect(() => {
    setError(null);
    if (asked === null) {
      setPreview(null);
      return;
    }
    let isGone = false;
    const timer = setTimeout(() => {
      send<ResetPreview>("POST", `${at}/preview`, JSON.parse(asked)).then(
        (found) => !isGone && setPreview(found),
        (problem: unknown) => {
          if (isGone) return;
          setPreview(null);
          setError(sentence(problem));
        },
      );
    }, PAUSE_MS);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [asked, at]);

  const run = async (): Promise<void> => {
    if (preview === null) return;
    await send("POST", at, { rows: preview.rows });
    onDone();
    const before = preview.rows.flatMap((row) => (row.old === null ? [] : [{ topic: row.topic, partition: row.partition, old: row.new, new: row.old, change: row.old - row.new }]));
    toast({
      text: t("reset.done", { n: preview.rows.length }),
      ...(before.length < preview.rows.length
        ? {}
        : {
            undo: async () => {
              await send("POST", at, { rows: before });
              onDone();
            },
          }),
    });
  };

  return (
    <ActionDialog
      title={t("group.reset")}
      verb={t("reset.verb")}
      size="large"
      action={{ method: "POST", path: at, body: { rows: preview?.rows ?? [] }, ...resetCommand(cluster, group, form, preview?.rows ?? []) }}
      isReady={preview !== null && preview.refused === null && preview.rows.length > 0}
      onClose={onClose}
      onRun={run}
    >
      <fieldset>
        <legend>{t("reset.to")}</legend>
        <div class="reset-ways">
          {WAYS.map((way) => (
            <label key={way} class="check">
              <input
                type="radio"
                name={`${id}-to`}
                checked={form.to === way}
                onChange={() => setForm({ ...form, to: way, value: way === "time" ? fieldTime(Date.now() - 3_600_000) : "" })}
              />
              {t(`reset.${way}`)}
            </label>
          ))}
        </div>
      </fieldset>
      <div class="reset-fields">
        {NEEDS_VALUE[form.to] && <ValueField cluster={cluster} group={group} form={form} id={`${id}-value`} onChange={(value) => setForm({ ...form, value })} />}
        <div class="field">
          <label for={`${id}-topic`}>{t("topic.title")}</label>
          <select id={`${id}-topic`} class="input" value={form.topic} onChange={(event) => setForm({ ...form, topic: event.currentTarget.value, partitions: "" })}>
            <option value="">{t("reset.all_topics")}</option>
            {topics.map((topic) => (
              <option key={topic} value={topic}>
                {topic}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for={`${id}-partitions`}>{t("topics.partitions")}</label>
          <input
            id={`${id}-partitions`}
            class="input"
            value={form.partitions}
            disabled={form.topic === ""}
            placeholder={t("reset.all_partitions")}
            onInput={(event) => setForm({ ...form, partitions: event.currentTarget.value })}
          />
        </div>
      </div>
      <Preview preview={preview} error={error} />
    </ActionDialog>
  );
}

function ValueField({ cluster, group, form, id, onChange }: { cluster: Cluster; group: Group; form: ResetForm; id: string; onChange(value: string): void }) {
  const groups = async (text: string, signal: AbortSignal): Promise<string[]> => {
    const found = await get<Page<GroupRow>>(path`/clusters/${cluster.id}/groups`, { q: text, page_size: 20 }, signal);
    return found.items.map((each) => each.id).filter((each) => each !== group.id);
  };
  const label = form.to === "time" ? t("reset.time") : form.to === "shift" ? t("reset.shift_by") : form.to === "group" ? t("reset.other_group") : t("reset.offset");
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {form.to === "group" ? (
        <Combobox id={id} value={form.value} options={groups} onChange={onChange} />
      ) : (
        <input
          id={id}
          class={`input${form.to === "time" ? "" : " number"}`}
          type={form.to === "time" ? "datetime-local" : "number"}
          step={1}
          value={form.value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </div>
  );
}

function Preview({ preview, error }: { preview: ResetPreview | null; error: string | null }) {
  const columns: Column<ResetRow>[] = [
    { id: "topic", title: t("topic.title"), value: (row) => row.topic, width: 120, isWide: true, priority: 1 },
    { id: "partition", title: t("partition.number"), value: (row) => row.partition, width: 80, isNumber: true, priority: 1 },
    { id: "old", title: t("reset.old"), value: (row) => row.old, width: 112, isNumber: true, priority: 3, cell: (row) => <Exact value={row.old} /> },
    { id: "new", title: t("reset.new"), value: (row) => row.new, width: 112, isNumber: true, priority: 2, cell: (row) => <strong><Exact value={row.new} /></strong> },
    {
      id: "change",
      title: t("reset.change"),
      value: (row) => row.change,
      width: 112,
      isNumber: true,
      priority: 1,
      cell: (row) => (row.change === null ? <Exact value={null} /> : <span class={row.change === 0 ? "soft" : ""}>{`${row.change > 0 ? "+" : ""}${exact(row.change, language())}`}</span>),
    },
  ];
  const refused = error ?? preview?.refused ?? null;
  return (
    <div class="panel reset-preview">
      {refused !== null && (
        <div class="dialog-error" role="alert">
          <StatusMark status="bad" />
          <span>{refused}</span>
        </div>
      )}
      <DataTable
        id="reset-preview"
        label={t("reset.preview")}
        columns={columns}
        rows={preview?.rows ?? []}
        rowKey={(row) => `${row.topic} ${row.partition}`}
        isFilled
        empty={<EmptyState title={t("reset.preview")}>{t("reset.preview_how")}</EmptyState>}
      >
        <h3>{t("reset.preview")}</h3>
      </DataTable>
    </div>
  );
}
