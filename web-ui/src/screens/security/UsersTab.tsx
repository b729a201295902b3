import { path } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import { allRows, type Page } from "../../api/list";
import { useMay } from "../../api/me";
import { useApi } from "../../api/use_api";
import type { ScramUser } from "../../api/users";
import { type Column, DataTable } from "../../components/DataTable";
import { EmptyState, ErrorState } from "../../components/EmptyState";
import { Icon } from "../../components/Icon";
import { PAGE_SIZE, useListState } from "../../components/list_state";
import { Menu } from "../../components/Menu";
import { Count } from "../../components/Quantity";
import { SearchBox } from "../../components/SearchBox";
import { t } from "../../i18n/text";
import { build, navigate, setQuery, usePlace } from "../../router";
import { bootstrap } from "../bootstrap";
import "./security.css";
import { DeleteUserDialog, UserDialog } from "./UserDialogs";

export function UsersTab({ cluster }: { cluster: Cluster }) {
  const list = useListState("name");
  const { query } = usePlace();
  const at = path`/clusters/${cluster.id}/users`;
  const asked = { q: list.q, sort: list.sort };
  const loaded = useApi<Page<ScramUser>>(at, { ...asked, page: list.page, page_size: PAGE_SIZE });
  const may = useMay("admin");
  if (loaded.data === null && loaded.error !== null) return <ErrorState error={loaded.error} onRetry={loaded.reload} />;
  const named = (parameter: string): ScramUser | null => loaded.data?.items.find((user) => user.name === query.get(parameter)) ?? null;
  const close = (): void => setQuery({ create: null, change: null, delete: null });
  const changed = named("change");
  const deleted = named("delete");
  const acls = (user: ScramUser): string => build("/clusters/:cluster/security/:tab?", { cluster: cluster.id, tab: "acls" }, { q: `User:${user.name}` });
  const actions: Column<ScramUser> = {
    id: "do",
    title: t("users.actions"),
    isAction: true,
    value: () => "",
    width: 48,
    priority: 1,
    cell: (user) => (
      <Menu
        label={t("users.actions_of", { name: user.name })}
        items={[
          { label: t("users.change_password"), icon: "edit", onSelect: () => setQuery({ change: user.name }) },
          { label: t("users.see_acls"), icon: "security", onSelect: () => navigate(acls(user)) },
          { label: t("action.delete"), icon: "trash", isDangerous: true, onSelect: () => setQuery({ delete: user.name }) },
        ]}
      />
    ),
  };
  const columns: Column<ScramUser>[] = [
    { id: "name", title: t("users.name"), value: (user) => user.name, width: 128, isWide: true, priority: 1, cell: (user) => <span class="mono" title={user.name}>{user.name}</span> },
    {
      id: "mechanisms",
      title: t("users.mechanisms"),
      isSortable: false,
      value: (user) => user.credentials.map((each) => each.mechanism).join(" "),
      width: 136,
      priority: 2,
      cell: (user) => user.credentials.map((each) => <span key={each.mechanism} class="credential" title={each.mechanism}>{each.mechanism.replace("SCRAM-", "")}</span>),
    },
    {
      id: "iterations",
      title: t("users.iterations"),
      isSortable: false,
      value: (user) => user.credentials.map((each) => each.iterations).join(" "),
      width: 144,
      isNumber: true,
      priority: 3,
      cell: (user) => user.credentials.map((each) => <span key={each.mechanism} class="credential"><Count value={each.iterations} /></span>),
    },
    { id: "acls", title: t("acls.title"), isSortable: false, value: () => "", width: 96, priority: 4, cell: (user) => <a href={acls(user)}>{t("users.acls_of")}</a> },
  ];
  return (
    <>
      <DataTable
        id="users"
        label={t("users.title")}
        columns={may ? [...columns, actions] : columns}
        rows={loaded.data?.items ?? null}
        rowKey={(user) => user.name}
        sort={list.sort}
        onSort={list.setSort}
        paged={{ total: loaded.data?.total ?? 0, page: list.page, pageSize: PAGE_SIZE, onPage: list.setPage, allRows: () => allRows<ScramUser>(at, asked) }}
        isSlow={loaded.isSlow}
        isFilled
        empty={
          list.q === "" ? (
            <EmptyState title={t("users.none")} command={`kafka-configs --bootstrap-server ${bootstrap(cluster)} --alter --entity-type users --entity-name ana --add-config 'SCRAM-SHA-512=[password=PASSWORD]'`}>
              {t("users.none_how")}
            </EmptyState>
          ) : (
            <EmptyState title={t("users.none_found")} action={<button type="button" class="button" onClick={() => setQuery({ q: null })}>{t("users.show_all")}</button>} />
          )
        }
      >
        <SearchBox value={list.q} label={t("users.search")} onSearch={list.setSearch} />
        {may && (
          <button type="button" class="button main" onClick={() => setQuery({ create: "user" })}>
            <Icon name="plus" />
            {t("users.create")}
          </button>
        )}
      </DataTable>
      {may && (query.get("create") === "user" || changed !== null) && <UserDialog key={changed?.name ?? ""} cluster={cluster} user={changed} onClose={close} onDone={loaded.reload} />}
      {may && deleted !== null && <DeleteUserDialog cluster={cluster} user={deleted} onClose={close} onDone={loaded.reload} />}
    </>
  );
}
