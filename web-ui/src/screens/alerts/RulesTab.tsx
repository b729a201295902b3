import { useState } from "preact/hooks";
import { address, path, send, sentence } from "../../api/client";
import type { AlertRule, AlertSettings, Delivery } from "../../api/alerts";
import type { Cluster } from "../../api/clusters";
import { me, useMay } from "../../api/me";
import { useApi } from "../../api/use_api";
import { copy, CopyAs } from "../../components/CopyAs";
import { type Column, DataTable } from "../../components/DataTable";
import { ActionDialog } from "../../components/Dialog";
import { EmptyState, ErrorState } from "../../components/EmptyState";
import { Icon } from "../../components/Icon";
import { Menu } from "../../components/Menu";
import { StatusMark } from "../../components/StatusMark";
import { toast } from "../../components/toasts";
import { curl } from "../../format/shell";
import { t } from "../../i18n/text";
import { setQuery, usePlace } from "../../router";
import { alertCommand, deleteCommand, turnCommand } from "./commands";
import { condition, HAS_TARGET, ruleWord } from "./kinds";
import { RuleDialog } from "./RuleDialog";

const word = (rule: AlertRule): string => ruleWord(rule.name, rule.kind);

export function RulesTab({ cluster }: { cluster: Cluster }) {
  const at = path`/clusters/${cluster.id}/alerts`;
  const loaded = useApi<AlertSettings>(at);
  const { query } = usePlace();
  const may = useMay("admin");
  const [deleted, setDeleted] = useState<AlertRule | null>(null);
  if (loaded.data === null && loaded.error !== null) return <ErrorState error={loaded.error} onRetry={loaded.reload} />;
  const settings = loaded.data;
  const named = query.get("rule");
  const edited = settings?.rules.find((each) => each.name === named) ?? null;
  const close = (): void => setQuery({ rule: null, add: null });

  const save = async (rules: AlertRule[], told: string): Promise<void> => {
    const before = settings?.rules ?? [];
    await send("PUT", at, { rules });
    loaded.reload();
    toast({
      text: told,
      undo: async () => {
        await send("PUT", at, { rules: before });
        loaded.reload();
      },
    });
  };
  const tried = (rules: AlertRule[], told: string): void => {
    save(rules, told).catch((error: unknown) => toast({ text: sentence(error), status: "bad" }));
  };
  const turned = (rule: AlertRule): AlertRule[] => (settings?.rules ?? []).map((each) => (each === rule ? { ...each, is_on: !each.is_on } : each));

  const columns: Column<AlertRule>[] = [
    {
      id: "is_on",
      title: t("alerts.on"),
      value: (rule) => rule.is_on,
      width: 64,
      priority: 1,
      cell: (rule) => (
        <input
          type="checkbox"
          role="switch"
          checked={rule.is_on}
          disabled={!may}
          aria-label={t("alerts.turn", { name: word(rule) })}
          onChange={() => tried(turned(rule), rule.is_on ? t("alerts.turned_off", { name: word(rule) }) : t("alerts.turned_on", { name: word(rule) }))}
        />
      ),
    },
    {
      id: "name",
      title: t("alerts.rule"),
      value: (rule) => rule.name,
      width: 140,
      isWide: true,
      priority: 1,
      cell: (rule) =>
        may ? (
          <button type="button" class="link cut" title={rule.name} onClick={() => setQuery({ rule: rule.name })}>
            {word(rule)}
          </button>
        ) : (
          <span title={rule.name}>{word(rule)}</span>
        ),
    },
    { id: "kind", title: t("alerts.kind"), value: (rule) => rule.kind, width: 176, priority: 3, cell: (rule) => t(`alerts.kind.${rule.kind}`) },
    { id: "above", title: t("alerts.when"), value: (rule) => rule.above, width: 184, priority: 2, cell: (rule) => condition(rule) },
    { id: "target", title: t("alerts.target"), value: (rule) => rule.target, width: 144, priority: 4, cell: (rule) => (HAS_TARGET[rule.kind] ? rule.target === "" ? <span class="soft">{t("alerts.any")}</span> : <span class="mono">{rule.target}</span> : "") },
    { id: "webhook", title: t("alerts.webhook"), value: (rule) => rule.webhook, width: 96, priority: 4, cell: (rule) => rule.webhook ?? "" },
    {
      id: "do",
      title: t("alerts.actions"),
      isAction: true,
      value: () => "",
      width: 88,
      priority: 1,
      cell: (rule) =>
        may ? (
          <Menu
            label={t("alerts.actions_of", { name: word(rule) })}
            items={[
              { label: t("alerts.edit"), icon: "edit", onSelect: () => setQuery({ rule: rule.name }) },
              {
                label: t(rule.is_on ? "alerts.copy_turn_off" : "alerts.copy_turn_on"),
                icon: "copy",
                onSelect: () => void copy(turnCommand(cluster, rule) ?? curl("PUT", location.origin + address(at), { rules: turned(rule) }, me.get())),
              },
              { label: t("action.delete"), icon: "trash", isDangerous: true, onSelect: () => setDeleted(rule) },
            ]}
          />
        ) : null,
    },
  ];
  return (
    <>
      <DataTable
        id="alert-rules"
        label={t("alerts.rules")}
        columns={columns}
        rows={settings?.rules ?? null}
        rowKey={(rule) => rule.name}
        {...(may ? { onRow: (rule: AlertRule) => setQuery({ rule: rule.name }) } : {})}
        rowClass={(rule) => (rule.is_on ? "" : "soft")}
        sort={query.get("sort") ?? ""}
        onSort={(sort) => setQuery({ sort }, { replace: true })}
        isSlow={loaded.isSlow}
        isFilled
        empty={<EmptyState title={t("alerts.no_rules")}>{t("alerts.no_rules_why")}</EmptyState>}
      >
        {may && (
          <button type="button" class="button main" data-key="c" onClick={() => setQuery({ add: true })}>
            <Icon name="plus" />
            {t("alerts.add")}
          </button>
        )}
        <CopyAs action={{ method: "GET", path: at, command: alertCommand(cluster, "list") }} />
      </DataTable>
      {settings !== null && <Webhooks cluster={cluster} names={settings.webhooks} />}
      {settings !== null && may && (edited !== null || query.get("add") === "true") && (
        <RuleDialog key={edited?.name ?? ""} cluster={cluster} rule={edited} settings={settings} path={at} onClose={close} onSave={(rules) => save(rules, t("alerts.saved"))} />
      )}
      {settings !== null && deleted !== null && (
        <DeleteDialog cluster={cluster} rule={deleted} rules={settings.rules.filter((each) => each.name !== deleted.name)} path={at} onSave={save} onClose={() => setDeleted(null)} />
      )}
    </>
  );
}

interface DeleteDialogProps {
  cluster: Cluster;
  rule: AlertRule;
  /** Those that stay. */
  rules: AlertRule[];
  path: string;
  onSave(rules: AlertRule[], told: string): Promise<void>;
  onClose(): void;
}

function DeleteDialog({ cluster, rule, rules, path, onSave, onClose }: DeleteDialogProps) {
  return (
    <ActionDialog
      title={t("alerts.delete")}
      verb={t("action.delete")}
      size="small"
      isDangerous
      action={{ method: "PUT", path, body: { rules }, command: deleteCommand(cluster, rule.name) }}
      onClose={onClose}
      onRun={() => onSave(rules, t("alerts.deleted", { name: word(rule) }))}
    >
      <p>{t("alerts.delete_why", { name: word(rule) })}</p>
    </ActionDialog>
  );
}

/** Their addresses are in the console's file alone, so that nobody can have it call another. */
function Webhooks({ cluster, names }: { cluster: Cluster; names: readonly string[] }) {
  const [outcomes, setOutcomes] = useState<Record<string, Delivery | "asked">>({});
  const may = useMay("admin");
  const at = path`/clusters/${cluster.id}/alerts/test`;
  const test = async (webhook: string): Promise<void> => {
    setOutcomes((before) => ({ ...before, [webhook]: "asked" }));
    const outcome = await send<Delivery>("POST", at, { webhook }).catch((error: unknown) => ({ is_delivered: false, status: null, reason: sentence(error) }));
    setOutcomes((before) => ({ ...before, [webhook]: outcome }));
  };
  return (
    <section class="panel alerts-webhooks">
      <header class="panel-head">
        <h2>{t("alerts.webhooks")}</h2>
      </header>
      <div class="panel-body">
        {names.length === 0 && (
          <>
            <p class="soft">{t("alerts.no_webhooks")}</p>
            <pre tabIndex={0}>{"riacho.console.webhooks=ops\nriacho.console.webhook.ops.url=URL\nriacho.console.webhook.ops.secret=…"}</pre>
          </>
        )}
        <ul>
          {names.map((name) => {
            const outcome = outcomes[name];
            return (
              <li key={name} class="row wrap">
                <span class="mono">{name}</span>
                {may && (
                  <>
                    <button type="button" class="button" disabled={outcome === "asked"} onClick={() => void test(name)}>
                      <Icon name="play" />
                      {t("alerts.test")}
                    </button>
                    <CopyAs action={{ method: "POST", path: at, body: { webhook: name }, command: alertCommand(cluster, "test-webhook", name) }} />
                  </>
                )}
                <span aria-live="polite">
                  {outcome !== undefined && outcome !== "asked" && (
                    <StatusMark status={outcome.is_delivered ? "good" : "bad"}>
                      {outcome.is_delivered ? t("alerts.delivered", { status: String(outcome.status ?? "") }) : (outcome.reason ?? t("alerts.not_delivered", { status: String(outcome.status ?? "–") }))}
                    </StatusMark>
                  )}
                </span>
              </li>
            );
          })}
        </ul>
      </div>
    </section>
  );
}
