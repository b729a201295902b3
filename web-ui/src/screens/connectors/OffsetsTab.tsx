import { useState } from "preact/hooks";
import { path, send } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import type { Connector, OffsetPair } from "../../api/connectors";
import { useMay } from "../../api/me";
import { useApi } from "../../api/use_api";
import { CodeEditor } from "../../components/CodeEditor";
import { CopyAs } from "../../components/CopyAs";
import { type Column, DataTable } from "../../components/DataTable";
import { ActionDialog, TypedNameDialog } from "../../components/Dialog";
import { EmptyState, ErrorState, NoneFound } from "../../components/EmptyState";
import { Icon } from "../../components/Icon";
import { SearchBox } from "../../components/SearchBox";
import { StatusMark } from "../../components/StatusMark";
import { toast } from "../../components/toasts";
import { t } from "../../i18n/text";
import { setQuery, usePlace } from "../../router";
import { moveCommand, offsetsCommand } from "./commands";
import { objectOf } from "./draft";

const EVERY_MS = 5000;

/** `topic: orders, partition: 3`, whatever the source calls its parts. */
export function pairText(pair: Record<string, unknown> | null): string {
  if (pair === null) return "–";
  return Object.entries(pair)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
}

export function OffsetsTab({ cluster, connector, onStop }: { cluster: Cluster; connector: Connector; onStop(): void }) {
  const { query } = usePlace();
  const at = path`/clusters/${cluster.id}/connectors/${connector.name}/offsets`;
  const loaded = useApi<{ offsets: OffsetPair[] }>(at, {}, { everyMs: EVERY_MS });
  const [edited, setEdited] = useState<OffsetPair | null>(null);
  const [isResetting, setResetting] = useState(false);
  const may = useMay("admin");
  const mayStop = useMay("operator");
  const isStopped = connector.state === "STOPPED";
  const q = query.get("q") ?? "";
  if (loaded.data === null && loaded.error !== null) return <ErrorState error={loaded.error} onRetry={loaded.reload} />;
  const rows = loaded.data?.offsets.filter((pair) => pairText(pair.partition).toLowerCase().includes(q.toLowerCase())) ?? null;
  const columns: Column<OffsetPair>[] = [
    { id: "partition", title: t("connector.offset_of"), value: (pair) => pairText(pair.partition), width: 160, isWide: true, priority: 1, cell: (pair) => <span class="mono" title={pairText(pair.partition)}>{pairText(pair.partition)}</span> },
    { id: "offset", title: t("connector.offset"), value: (pair) => pairText(pair.offset), width: 140, isWide: true, priority: 1, cell: (pair) => <span class="mono" title={pairText(pair.offset)}>{pairText(pair.offset)}</span> },
    ...(may && isStopped
      ? [
          {
            id: "change",
            title: t("config.change"),
            value: () => null,
            width: 84,
            isAction: true,
            priority: 1,
            cell: (pair: OffsetPair) => (
              <button type="button" class="button quiet icon" aria-label={t("connector.offset_edit", { of: pairText(pair.partition) })} title={t("connector.offset_edit", { of: pairText(pair.partition) })} onClick={() => setEdited(pair)}>
                <Icon name="edit" />
              </button>
            ),
          },
        ]
      : []),
  ];
  return (
    <>
      {may && (
        <div class="connector-note">
          {isStopped ? (
            <>
              <StatusMark status="idle">{t("connector.offsets_free")}</StatusMark>
              <span class="push" />
              <button type="button" class="button danger" disabled={(loaded.data?.offsets.length ?? 0) === 0} onClick={() => setResetting(true)}>
                {t("connector.offsets_reset")}
              </button>
            </>
          ) : (
            <>
              <Icon name="lock" />
              <span>{t("connector.offsets_locked")}</span>
              <span class="push" />
              {mayStop && (
                <button type="button" class="button" onClick={onStop}>
                  <Icon name="stop" />
                  {t("connector.stop")}
                </button>
              )}
            </>
          )}
        </div>
      )}
      <DataTable
        id="connector-offsets"
        label={t("connector.tab.offsets")}
        columns={columns}
        rows={rows}
        rowKey={(pair) => JSON.stringify(pair.partition)}
        sort={query.get("sort") ?? "partition"}
        onSort={(sort) => setQuery({ sort: sort === "partition" ? null : sort }, { replace: true })}
        isSlow={loaded.isSlow}
        isFilled
        empty={q === "" ? <EmptyState title={t("connector.no_offsets")}>{t("connector.no_offsets_why")}</EmptyState> : <NoneFound onClear={() => setQuery({ q: null }, { replace: true })} />}
      >
        <SearchBox value={q} label={t("connector.search_offsets")} onSearch={(text) => setQuery({ q: text }, { replace: true })} />
        <CopyAs action={{ method: "GET", path: at, command: offsetsCommand(cluster, connector.name) }} />
      </DataTable>
      {edited !== null && <EditDialog cluster={cluster} name={connector.name} at={at} pair={edited} onClose={() => setEdited(null)} onDone={loaded.reload} />}
      {isResetting && (
        <TypedNameDialog
          title={t("connector.offsets_reset")}
          verb={t("connector.offsets_reset")}
          name={connector.name}
          action={{ method: "DELETE", path: at, command: offsetsCommand(cluster, connector.name, "--reset", "--yes") }}
          onClose={() => setResetting(false)}
          onRun={async () => {
            const told = await send<{ message: string }>("DELETE", at);
            toast({ text: told.message || t("connector.offsets_done") });
            loaded.reload();
          }}
        >
          <p>{t("connector.offsets_reset_why")}</p>
        </TypedNameDialog>
      )}
    </>
  );
}

function EditDialog({ cluster, name, at, pair, onClose, onDone }: { cluster: Cluster; name: string; at: string; pair: OffsetPair; onClose(): void; onDone(): void }) {
  const [text, setText] = useState(JSON.stringify(pair.offset ?? {}, null, 2));
  const [isGone, setGone] = useState(false);
  const offset = objectOf(text);
  const change = (to: OffsetPair["offset"]): { offsets: OffsetPair[] } => ({ offsets: [{ partition: pair.partition, offset: to }] });
  const wanted = isGone ? null : offset;
  return (
    <ActionDialog
      title={t("connector.offset_edit", { of: pairText(pair.partition) })}
      verb={t("action.save")}
      action={{ method: "PATCH", path: at, body: change(wanted), command: moveCommand(cluster, name, { partition: pair.partition, offset: wanted }) }}
      isReady={isGone || offset !== null}
      onClose={onClose}
      onRun={async () => {
        const told = await send<{ message: string }>("PATCH", at, change(wanted));
        onDone();
        toast({
          text: told.message || t("connector.offsets_done"),
          undo: async () => {
            await send("PATCH", at, change(pair.offset));
            onDone();
          },
        });
      }}
    >
      {!isGone && (
        <div class="field">
          <span class="label">{t("connector.offset")}</span>
          <CodeEditor label={t("connector.offset")} language="json" value={text} onChange={setText} lines={5} />
          {offset === null && <span class="wrong">{t("connector.not_json")}</span>}
        </div>
      )}
      <label class="check">
        <input type="checkbox" checked={isGone} onChange={(event) => setGone(event.currentTarget.checked)} />
        {t("connector.offset_forget")}
      </label>
    </ActionDialog>
  );
}
