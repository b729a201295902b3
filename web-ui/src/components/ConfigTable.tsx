// The settings of a broker or a topic: what each does, where its value comes from, whether it can change now.
import { useId, useState } from "preact/hooks";
import { send } from "../api/client";
import type { ConfigChange, ConfigEntry } from "../api/configs";
import { useMay } from "../api/me";
import { bytes, duration } from "../format/quantity";
import { type Key, language, t } from "../i18n/text";
import { setQuery, usePlace } from "../router";
import { Combobox } from "./Combobox";
import "./config_table.css";
import { type Column, DataTable } from "./DataTable";
import { ActionDialog, Dialog } from "./Dialog";
import { EmptyState } from "./EmptyState";
import { Icon } from "./Icon";
import { useFlag } from "./list_state";
import { SearchBox } from "./SearchBox";
import { toast } from "./toasts";

export interface ConfigTableProps {
  id: string;
  entries: readonly ConfigEntry[] | null;
  isSlow?: boolean;
  /** Where changes go. */
  path: string;
  /** The command-line tool with its words for what is set up; `--alter` and the rest follow. */
  command(change: ConfigChange): string;
  onChanged(): void;
  /** The source of what is set at this very place, so that it can be taken back here. */
  own: "DYNAMIC_TOPIC_CONFIG" | "DYNAMIC_BROKER_CONFIG" | "DYNAMIC_DEFAULT_BROKER_CONFIG";
}

/** Set somewhere, not Kafka's default. */
function isSet(entry: ConfigEntry): boolean {
  return entry.source !== "DEFAULT_CONFIG";
}

const SOURCES: Record<string, Key> = {
  DEFAULT_CONFIG: "config.from.default",
  STATIC_BROKER_CONFIG: "config.from.file",
  DYNAMIC_BROKER_CONFIG: "config.from.broker",
  DYNAMIC_DEFAULT_BROKER_CONFIG: "config.from.cluster",
  DYNAMIC_TOPIC_CONFIG: "config.from.topic",
  DYNAMIC_GROUP_CONFIG: "config.from.group",
};

function sourceOf(entry: ConfigEntry): string {
  const known = SOURCES[entry.source];
  return known === undefined ? entry.source : t(known);
}

export function ConfigTable({ id, entries, isSlow, path, command, onChanged, own }: ConfigTableProps) {
  const { query } = usePlace();
  const q = query.get("q") ?? "";
  const sort = query.get("sort") ?? "name";
  const [isOnlyOwn, setOnlyOwn] = useFlag("own");
  const [edited, setEdited] = useState<ConfigEntry | null>(null);
  const may = useMay("admin");
  const wanted = q.toLowerCase();
  // Where all can change now, nothing has to be said of it.
  const isMixed = entries?.some((entry) => !entry.can_change_now) ?? false;
  const shown = entries?.filter(
    (entry) => (!isOnlyOwn || isSet(entry)) && (entry.name.includes(wanted) || (entry.about ?? "").toLowerCase().includes(wanted) || (entry.value ?? "").toLowerCase().includes(wanted)),
  );

  const change = async (what: ConfigChange, before: ConfigEntry): Promise<void> => {
    await send("PATCH", path, what);
    onChanged();
    toast({
      text: t("config.changed", { name: before.name }),
      // A secret's old value is not known, so there is no way back.
      ...(before.is_sensitive
        ? {}
        : {
            undo: async () => {
              await send("PATCH", path, before.source === own && before.value !== null ? { set: { [before.name]: before.value }, unset: [] } : { set: {}, unset: [before.name] });
              onChanged();
            },
          }),
    });
  };

  const columns: Column<ConfigEntry>[] = [
    {
      id: "name",
      title: t("config.name"),
      value: (entry) => entry.name,
      width: 208,
      isWide: true,
      priority: 1,
      cell: (entry) => (
        <button type="button" class="link mono cut" title={entry.about ?? ""} onClick={() => setEdited(entry)}>
          {entry.name}
        </button>
      ),
    },
    { id: "value", title: t("config.value"), value: (entry) => entry.value, width: 120, isWide: true, priority: 1, cell: (entry) => <ConfigValue entry={entry} /> },
    { id: "default", title: t("config.default"), value: (entry) => entry.default, width: 120, priority: 4, cell: (entry) => <span class="mono soft">{entry.default === entry.value ? "" : (entry.default ?? "–")}</span> },
    { id: "source", title: t("config.source"), value: (entry) => entry.source, width: 112, priority: 3, cell: (entry) => <span class={isSet(entry) ? "tag accent" : "soft"}>{sourceOf(entry)}</span> },
    { id: "about", title: t("config.about"), value: (entry) => entry.about, width: 240, isWide: true, priority: 5, cell: (entry) => <span class="soft" title={entry.about ?? ""}>{entry.about ?? ""}</span> },
    {
      id: "change",
      title: t("config.change"),
      value: (entry) => entry.can_change_now,
      ...(isMixed ? { width: 104 } : { width: 48, isAction: true }),
      priority: 1,
      cell: (entry) =>
        !entry.can_change_now ? (
          <span class="soft config-change" title={t("config.restart_long")}>
            <Icon name="lock" />
            {t("config.restart")}
          </span>
        ) : (
          <span class="config-change">
            {may && (
              <button type="button" class="button quiet icon" aria-label={t("config.edit", { name: entry.name })} title={t("config.edit", { name: entry.name })} onClick={() => setEdited(entry)}>
                <Icon name="edit" />
              </button>
            )}
            {isMixed && <span title={t("config.now_long")}>{t("config.now")}</span>}
          </span>
        ),
    },
  ];
  return (
    <>
      <DataTable
        id={id}
        label={t("config.title")}
        columns={columns}
        rows={shown ?? null}
        rowKey={(entry) => entry.name}
        onRow={(entry) => setEdited(entry)}
        sort={sort}
        onSort={(next) => setQuery({ sort: next === "name" ? null : next }, { replace: true })}
        empty={<EmptyState title={t("config.none")}>{isOnlyOwn ? t("config.none_own") : t("config.none_why")}</EmptyState>}
        isFilled
        {...(isSlow === undefined ? {} : { isSlow })}
      >
        <SearchBox value={q} label={t("config.search")} onSearch={(text) => setQuery({ q: text }, { replace: true })} />
        <label class="check">
          <input type="checkbox" checked={isOnlyOwn} onChange={(event) => setOnlyOwn(event.currentTarget.checked)} />
          {t("config.only_own")}
        </label>
      </DataTable>
      {edited !== null &&
        (may && edited.can_change_now ? (
          <EditDialog entry={edited} isOwn={edited.source === own} path={path} command={command} onChange={change} onClose={() => setEdited(null)} />
        ) : (
          <AboutDialog entry={edited} onClose={() => setEdited(null)} />
        ))}
    </>
  );
}

function AboutDialog({ entry, onClose }: { entry: ConfigEntry; onClose(): void }) {
  return (
    <Dialog title={entry.name} onClose={onClose}>
      <div class="stack">
        {entry.about !== null && <p>{entry.about}</p>}
        <dl class="config-facts">
          <dt>{t("config.value")}</dt>
          <dd>
            <ConfigValue entry={entry} />
          </dd>
          <dt>{t("config.default")}</dt>
          <dd class="mono">{entry.default ?? "–"}</dd>
          <dt>{t("config.source")}</dt>
          <dd>{sourceOf(entry)}</dd>
        </dl>
        {!entry.can_change_now && (
          <p class="row soft">
            <Icon name="lock" />
            {t("config.restart_long")}
          </p>
        )}
      </div>
    </Dialog>
  );
}

function ConfigValue({ entry }: { entry: ConfigEntry }) {
  if (entry.is_sensitive && isSet(entry)) return <span class="soft">{t("config.secret")}</span>;
  return (
    <>
      <span class={`mono${isSet(entry) ? " config-own" : ""}`} title={entry.value ?? ""}>
        {entry.value === null ? "–" : entry.value === "" ? '""' : entry.value}
      </span>
      <Meaning entry={entry} />
    </>
  );
}

/** What a long number comes to. */
function Meaning({ entry }: { entry: ConfigEntry }) {
  const value = Number(entry.value);
  if (entry.value === null || !Number.isSafeInteger(value) || value < 1000) return null;
  const text = entry.name.endsWith(".ms") ? duration(value, language()) : entry.name.endsWith(".bytes") ? Object.values(bytes(value, language())).join(" ") : null;
  return text === null ? null : <span class="soft small config-meaning">{text}</span>;
}

interface EditProps {
  entry: ConfigEntry;
  isOwn: boolean;
  path: string;
  command(change: ConfigChange): string;
  onChange(change: ConfigChange, before: ConfigEntry): Promise<void>;
  onClose(): void;
}

function EditDialog({ entry, isOwn, path, command, onChange, onClose }: EditProps) {
  const [value, setValue] = useState(entry.is_sensitive ? "" : (entry.value ?? ""));
  const [isUsual, setUsual] = useState(false);
  const id = useId();
  const change: ConfigChange = isUsual ? { set: {}, unset: [entry.name] } : { set: { [entry.name]: value }, unset: [] };
  // A secret is not for the clipboard, nor for whoever looks on.
  const shown: ConfigChange = entry.is_sensitive && !isUsual ? { set: { [entry.name]: "…" }, unset: [] } : change;
  const choices = entry.type?.toLowerCase() === "boolean" ? ["true", "false"] : [];
  return (
    <ActionDialog
      title={entry.name}
      verb={t("action.save")}
      action={{ method: "PATCH", path, body: shown, command: command(shown) }}
      onClose={onClose}
      onRun={() => onChange(change, entry)}
      isReady={isUsual || (entry.is_sensitive ? value !== "" : value !== (entry.value ?? ""))}
    >
      {entry.about !== null && <p>{entry.about}</p>}
      <div class="field">
        <label for={id}>{t("config.value")}</label>
        {choices.length > 0 ? (
          <Combobox id={id} value={isUsual ? (entry.default ?? "") : value} options={choices} onChange={setValue} isDisabled={isUsual} />
        ) : (
          <input
            id={id}
            class="input mono"
            {...(entry.is_sensitive ? { type: "password" as const } : { type: "text" as const })}
            value={isUsual ? (entry.default ?? "") : value}
            disabled={isUsual}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => setValue(event.currentTarget.value)}
          />
        )}
        <span class="hint">
          {entry.type !== null && `${entry.type.toLowerCase()} · `}
          {t("config.default_is", { value: entry.default ?? "–" })}
        </span>
      </div>
      {isOwn && (
        <label class="check">
          <input type="checkbox" checked={isUsual} onChange={(event) => setUsual(event.currentTarget.checked)} />
          {t("config.back_to_default")}
        </label>
      )}
      <div class="stack tight">
        <span class="small soft">{t("config.as_command")}</span>
        <code class="config-command" tabIndex={0}>
          {command(shown)}
        </code>
      </div>
    </ActionDialog>
  );
}
