import { useState } from "preact/hooks";
import { path, send } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import type { Connector, PluginForm } from "../../api/connectors";
import { useMay } from "../../api/me";
import { useApi } from "../../api/use_api";
import { CopyAs } from "../../components/CopyAs";
import { type Column, DataTable } from "../../components/DataTable";
import { ActionDialog } from "../../components/Dialog";
import { DiffView } from "../../components/DiffView";
import { EmptyState, ErrorState } from "../../components/EmptyState";
import { Icon } from "../../components/Icon";
import { useFlag } from "../../components/list_state";
import { SearchBox } from "../../components/SearchBox";
import { Skeleton } from "../../components/Skeleton";
import { toast } from "../../components/toasts";
import { t } from "../../i18n/text";
import { setQuery, usePlace } from "../../router";
import { createCommand } from "./commands";
import { ConnectorForm } from "./ConnectorForm";
import { TrialWord } from "./CreateScreen";
import { CLASS, configText, type Draft, withoutSecrets } from "./draft";
import { useTrial } from "./use_trial";

interface ConfigTabProps {
  cluster: Cluster;
  connector: Connector;
  onChanged(): void;
}

export function ConfigTab(props: ConfigTabProps) {
  const [isEdited, setEdited] = useFlag("edit");
  const may = useMay("admin");
  const { cluster, connector } = props;
  const loaded = useApi<PluginForm>(isEdited && may ? path`/clusters/${cluster.id}/connector-plugins/${connector.class}` : null);
  if (!isEdited || !may) return <ConfigList {...props} onEdit={may ? () => setEdited(true) : null} />;
  if (loaded.data !== null) return <Editing {...props} form={loaded.data} onClose={() => setQuery({ edit: null, as: null, all: null, q: null }, { replace: true })} />;
  return loaded.error !== null ? <ErrorState error={loaded.error} onRetry={loaded.reload} /> : <Skeleton isShown={loaded.isSlow} />;
}

function ConfigList({ cluster, connector, onEdit }: ConfigTabProps & { onEdit: (() => void) | null }) {
  const { query } = usePlace();
  const q = (query.get("q") ?? "").toLowerCase();
  const rows = Object.entries(connector.config).filter(([name, value]) => `${name} ${value}`.toLowerCase().includes(q));
  const columns: Column<[string, string]>[] = [
    { id: "name", title: t("config.name"), value: ([name]) => name, width: 148, isWide: true, priority: 1, cell: ([name]) => <span class="mono" title={name}>{name}</span> },
    {
      id: "value",
      title: t("config.value"),
      value: ([, value]) => value,
      width: 148,
      isWide: true,
      priority: 1,
      cell: ([name, value]) =>
        connector.hidden.includes(name) ? (
          <span class="connector-secret" title={t("config.secret")}>
            <Icon name="lock" />
            <span class="unseen">{t("config.secret")}</span>
            <span class="mono soft">{value}</span>
          </span>
        ) : (
          <span class="mono" title={value}>
            {value === "" ? '""' : value}
          </span>
        ),
    },
  ];
  return (
    <DataTable
      id="connector-config"
      label={t("connector.tab.config")}
      columns={columns}
      rows={rows}
      rowKey={([name]) => name}
      sort={query.get("sort") ?? "name"}
      onSort={(sort) => setQuery({ sort: sort === "name" ? null : sort }, { replace: true })}
      isFilled
      empty={<EmptyState title={t("config.none")}>{t("config.none_why")}</EmptyState>}
    >
      <SearchBox value={query.get("q") ?? ""} label={t("config.search")} onSearch={(text) => setQuery({ q: text }, { replace: true })} />
      {onEdit !== null && (
        <button type="button" class="button" onClick={onEdit}>
          <Icon name="edit" />
          {t("connector.edit")}
        </button>
      )}
      <CopyAs action={{ method: "GET", path: path`/clusters/${cluster.id}/connectors/${connector.name}` }} />
    </DataTable>
  );
}

function Editing({ cluster, connector, form, onChanged, onClose }: ConfigTabProps & { form: PluginForm; onClose(): void }) {
  // As it was when the editing began: what others do meanwhile shows in the difference, not in the fields.
  const [draft, setDraft] = useState<Draft>(() => {
    const { name: _, ...config } = connector.config;
    return { name: connector.name, config };
  });
  const [isShown, setShown] = useState(false);
  const [isUnreadable, setUnreadable] = useState(false);
  const trial = useTrial(cluster.id, form.class, draft, connector.name);
  const at = path`/clusters/${cluster.id}/connectors/${connector.name}`;
  const after: Record<string, string> = { ...draft.config, [CLASS]: draft.config[CLASS] ?? connector.class, ...("name" in connector.config ? { name: connector.name } : {}) };
  const isSame = configText(after) === configText(connector.config);
  const shown = withoutSecrets({ name: connector.name, config: after }, form.settings);
  const hiddenNow = connector.hidden.filter((name) => after[name] === connector.config[name]);
  return (
    <form
      class="connector-edit"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isSame && !isUnreadable) setShown(true);
      }}
    >
      <div class="connector-room">
        <ConnectorForm clusterId={cluster.id} form={form} draft={draft} trial={trial} hidden={hiddenNow} isChecked isNew={false} onChange={setDraft} onUnreadable={setUnreadable} />
      </div>
      <footer class="connector-foot">
        <TrialWord trial={trial} isChecked problem={null} />
        <span class="push" />
        <button type="button" class="button" onClick={onClose}>
          {t("action.cancel")}
        </button>
        <button type="submit" class="button main" disabled={isSame || isUnreadable}>
          {t("connector.review")}
        </button>
      </footer>
      {isShown && (
        <ActionDialog
          title={t("connector.changes")}
          verb={t("action.save")}
          size="large"
          action={{ method: "PUT", path: at, body: { config: shown.config }, command: createCommand(cluster, shown) }}
          onClose={() => setShown(false)}
          onRun={async () => {
            const before = connector.config;
            await send("PUT", at, { config: after });
            onChanged();
            onClose();
            // Dots of a secret that has changed would bring back the new one.
            const isBack = connector.hidden.every((name) => after[name] === before[name]);
            toast({
              text: t("connector.changed", { name: connector.name }),
              ...(isBack
                ? {
                    undo: async () => {
                      await send("PUT", at, { config: before });
                      onChanged();
                    },
                  }
                : {}),
            });
          }}
        >
          <DiffView before={configText(connector.config)} after={configText(withDots(after, connector))} beforeTitle={t("connector.before")} afterTitle={t("connector.after")} />
        </ActionDialog>
      )}
    </form>
  );
}

/** A secret that was typed anew is not shown in the difference, but that it is another is. */
function withDots(after: Record<string, string>, connector: Connector): Record<string, string> {
  const names = connector.hidden.filter((name) => name in after && after[name] !== connector.config[name]);
  return { ...after, ...Object.fromEntries(names.map((name) => [name, t("connector.secret_new")])) };
}
