// The list of entries, of the cluster or of one topic.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type Acl, aclKey, type AclPage } from "../../api/acls";
import { path as apiPath } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import { allRows } from "../../api/list";
import { useMay } from "../../api/me";
import { useApi } from "../../api/use_api";
import { type Column, DataTable } from "../../components/DataTable";
import { ActionDialog } from "../../components/Dialog";
import { EmptyState, ErrorState } from "../../components/EmptyState";
import { Icon } from "../../components/Icon";
import { PAGE_SIZE, useListState } from "../../components/list_state";
import { SearchBox } from "../../components/SearchBox";
import { t } from "../../i18n/text";
import { setQuery } from "../../router";
import { aclCommand } from "./acl_command";
import { aclColumns } from "./acl_columns";
import { removeAcls } from "./acl_changes";

export interface AclListProps {
  id: string;
  cluster: Cluster;
  /** Where they are listed. */
  path: string;
  empty: ComponentChildren;
  /** Beside the search, given what asks again. */
  tools?(reload: () => void): ComponentChildren;
}

const AUTHORIZER = "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer";

export function AclList({ id, cluster, path, empty, tools }: AclListProps) {
  const list = useListState("principal");
  const asked = { q: list.q, sort: list.sort };
  const loaded = useApi<AclPage>(path, { ...asked, page: list.page, page_size: PAGE_SIZE });
  const [removed, setRemoved] = useState<Acl | null>(null);
  const may = useMay("admin");
  if (loaded.data === null && loaded.error !== null) return <ErrorState error={loaded.error} onRetry={loaded.reload} />;
  if (loaded.data?.has_authorizer === false) {
    return (
      <EmptyState title={t("acls.no_authorizer")} command={AUTHORIZER}>
        {t("acls.no_authorizer_how")}
      </EmptyState>
    );
  }
  const remove: Column<Acl> = {
    id: "remove",
    title: t("acls.remove"),
    isAction: true,
    value: () => "",
    width: 48,
    priority: 1,
    cell: (acl) => (
      <button type="button" class="button quiet icon" aria-label={t("acls.remove_one", { operation: acl.operation, principal: acl.principal, resource: acl.resource_name })} title={t("action.delete")} onClick={() => setRemoved(acl)}>
        <Icon name="trash" />
      </button>
    ),
  };
  return (
    <>
      <DataTable
        id={id}
        label={t("acls.title")}
        columns={may ? [...aclColumns(cluster.id), remove] : aclColumns(cluster.id)}
        rows={loaded.data?.items ?? null}
        rowKey={aclKey}
        sort={list.sort}
        onSort={list.setSort}
        paged={{ total: loaded.data?.total ?? 0, page: list.page, pageSize: PAGE_SIZE, onPage: list.setPage, allRows: () => allRows<Acl>(path, asked) }}
        isSlow={loaded.isSlow}
        isFilled
        empty={
          list.q === "" ? (
            empty
          ) : (
            <EmptyState title={t("acls.none_found")} action={<button type="button" class="button" onClick={() => setQuery({ q: null })}>{t("acls.show_all")}</button>}>
              {t("acls.none_found_why")}
            </EmptyState>
          )
        }
      >
        <SearchBox value={list.q} label={t("acls.search")} onSearch={list.setSearch} />
        {tools?.(loaded.reload)}
      </DataTable>
      {removed !== null && <RemoveDialog cluster={cluster} acl={removed} onClose={() => setRemoved(null)} onDone={loaded.reload} />}
    </>
  );
}

function RemoveDialog({ cluster, acl, onClose, onDone }: { cluster: Cluster; acl: Acl; onClose(): void; onDone(): void }) {
  return (
    <ActionDialog
      title={t("acls.remove_title")}
      verb={t("action.delete")}
      size="small"
      isDangerous
      action={{ method: "DELETE", path: apiPath`/clusters/${cluster.id}/acls`, body: { acls: [acl] }, command: aclCommand(cluster, "--remove", [acl]) }}
      onClose={onClose}
      onRun={() => removeAcls(cluster, [acl], onDone)}
    >
      <p class="acl-sentence">
        <strong class="mono">{acl.principal}</strong> {acl.permission === "ALLOW" ? t("acls.may") : t("acls.may_not")} <strong class="mono">{acl.operation}</strong> {t(`acls.type.${acl.resource_type}`)}{" "}
        <strong class="mono">{acl.resource_name + (acl.pattern_type === "PREFIXED" ? "*" : "")}</strong> {acl.host === "*" ? t("acls.from_anywhere") : t("acls.from_host", { host: acl.host })}
      </p>
      <p class="soft">{acl.permission === "ALLOW" ? t("acls.remove_why") : t("acls.remove_deny_why")}</p>
    </ActionDialog>
  );
}
