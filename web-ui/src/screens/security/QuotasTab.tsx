import { path } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import { useMay } from "../../api/me";
import type { Quota } from "../../api/quotas";
import { useApi } from "../../api/use_api";
import { type Column, DataTable } from "../../components/DataTable";
import { EmptyState, ErrorState } from "../../components/EmptyState";
import { FilterSelect } from "../../components/FilterSelect";
import { Icon } from "../../components/Icon";
import { useListState } from "../../components/list_state";
import { Menu } from "../../components/Menu";
import { Bytes, Count } from "../../components/Quantity";
import { SearchBox } from "../../components/SearchBox";
import { language, t } from "../../i18n/text";
import { setQuery, usePlace } from "../../router";
import { bootstrap } from "../bootstrap";
import { DeleteQuotaDialog, QuotaDialog } from "./QuotaDialogs";
import { hasText, kindOf, PARTS, quotaKey, type RateKey, RATES, whoseText } from "./rates";
import "./security.css";

const WIDTHS: Record<RateKey, number> = { producer_byte_rate: 88, consumer_byte_rate: 88, request_percentage: 104, controller_mutation_rate: 112, connection_creation_rate: 112 };

export function QuotasTab({ cluster }: { cluster: Cluster }) {
  const list = useListState("whose");
  const { query } = usePlace();
  const loaded = useApi<Quota[]>(path`/clusters/${cluster.id}/quotas`);
  const may = useMay("admin");
  if (loaded.data === null && loaded.error !== null) return <ErrorState error={loaded.error} onRetry={loaded.reload} />;
  const kind = query.get("kind") ?? "";
  const all = loaded.data ?? [];
  const shown = loaded.data?.filter((quota) => (list.q === "" || hasText(quota, list.q)) && (kind === "" || kindOf(quota) === kind)) ?? null;
  const named = (parameter: string): Quota | null => all.find((quota) => quotaKey(quota) === query.get(parameter)) ?? null;
  const edited = named("edit");
  const deleted = named("delete");
  const close = (): void => setQuery({ create: null, edit: null, delete: null });
  const actions: Column<Quota> = {
    id: "do",
    title: t("users.actions"),
    isAction: true,
    value: () => "",
    width: 48,
    priority: 1,
    cell: (quota) => (
      <Menu
        label={t("quotas.actions")}
        items={[
          { label: t("quotas.edit"), icon: "edit", onSelect: () => setQuery({ edit: quotaKey(quota) }) },
          { label: t("action.delete"), icon: "trash", isDangerous: true, onSelect: () => setQuery({ delete: quotaKey(quota) }) },
        ]}
      />
    ),
  };
  return (
    <>
      <DataTable
        id="quotas"
        label={t("quotas.title")}
        columns={may ? [...columns(), actions] : columns()}
        rows={shown}
        rowKey={quotaKey}
        {...(may ? { onRow: (quota: Quota) => setQuery({ edit: quotaKey(quota) }) } : {})}
        sort={list.sort}
        onSort={list.setSort}
        isSlow={loaded.isSlow}
        isFilled
        empty={
          all.length === 0 ? (
            <EmptyState title={t("quotas.none")} command={`kafka-configs --bootstrap-server ${bootstrap(cluster)} --alter --entity-type users --entity-default --add-config producer_byte_rate=10485760`}>
              {t("quotas.none_how")}
            </EmptyState>
          ) : (
            <EmptyState title={t("quotas.none_found")} action={<button type="button" class="button" onClick={() => setQuery({ q: null, kind: null })}>{t("quotas.show_all")}</button>} />
          )
        }
      >
        <SearchBox value={list.q} label={t("quotas.search")} onSearch={list.setSearch} />
        <FilterSelect
          label={t("quotas.whose")}
          value={kind}
          options={[
            ["", t("quotas.kind.all")],
            ["user", t("quotas.kind.user")],
            ["client", t("quotas.kind.client")],
            ["both", t("quotas.kind.both")],
            ["ip", t("quotas.kind.ip")],
          ]}
          onChange={(value) => setQuery({ kind: value })}
        />
        {may && (
          <button type="button" class="button main" onClick={() => setQuery({ create: "quota" })}>
            <Icon name="plus" />
            {t("quotas.create")}
          </button>
        )}
      </DataTable>
      {may && loaded.data !== null && (query.get("create") === "quota" || edited !== null) && <QuotaDialog key={edited === null ? "" : quotaKey(edited)} cluster={cluster} quota={edited} all={all} onClose={close} onDone={loaded.reload} />}
      {may && deleted !== null && <DeleteQuotaDialog cluster={cluster} quota={deleted} onClose={close} onDone={loaded.reload} />}
    </>
  );
}

function columns(): Column<Quota>[] {
  return [
    { id: "whose", title: t("quotas.whose"), value: whoseText, width: 128, isWide: true, priority: 1, cell: (quota) => <Whose quota={quota} /> },
    ...RATES.map(({ key, unit }): Column<Quota> => ({
      id: key,
      title: t(`quotas.rate.${key}`),
      value: (quota) => quota.rates[key],
      width: WIDTHS[key],
      isNumber: true,
      priority: key === "producer_byte_rate" || key === "consumer_byte_rate" ? 2 : 4,
      cell: (quota) => <Rate value={quota.rates[key]} unit={unit} />,
    })),
  ];
}

function Whose({ quota }: { quota: Quota }) {
  return (
    <span class="quota-whose" title={whoseText(quota)}>
      {PARTS.filter((part) => quota[part] !== null).map((part) => (
        <span key={part}>
          <span class="soft">{t(`quotas.kind.${part === "client_id" ? "client" : part}`)}</span> {quota[part] === "" ? <span class="tag">{t("quotas.default")}</span> : <span class="mono">{quota[part]}</span>}
        </span>
      ))}
    </span>
  );
}

/** A rate that is not set is no limit, which is known: no dash. */
function Rate({ value, unit }: { value: number | undefined; unit: (typeof RATES)[number]["unit"] }) {
  if (value === undefined) return <span class="soft">{t("quotas.no_limit")}</span>;
  if (unit === "bytes") return <Bytes value={value} per />;
  if (unit === "count") return <Count value={value} per />;
  return (
    <span class="quantity">
      {new Intl.NumberFormat(language(), { maximumFractionDigits: 2 }).format(value)}
      <span class="unit count">%</span>
    </span>
  );
}
