import type { Acl } from "../../api/acls";
import type { Column } from "../../components/DataTable";
import { StatusMark } from "../../components/StatusMark";
import { t } from "../../i18n/text";
import { build } from "../../router";

export function PermissionMark({ acl }: { acl: Acl }) {
  return (
    <StatusMark status={acl.permission === "ALLOW" ? "good" : "bad"} isQuiet>
      {acl.permission === "ALLOW" ? t("acls.allow") : t("acls.deny")}
    </StatusMark>
  );
}

/** The name as one reads it: `orders.*` for a prefix, "any" for the star. A link where a cluster is given. */
export function ResourceName({ acl, clusterId }: { acl: Acl; clusterId: string | null }) {
  if (acl.pattern_type === "LITERAL" && acl.resource_name === "*") return <span class="tag">{t("acls.any")}</span>;
  const href = clusterId === null ? null : hrefOf(acl, clusterId);
  return (
    <>
      {href === null ? (
        <span class="mono" title={acl.resource_name}>{acl.resource_name}</span>
      ) : (
        <a class="mono" href={href} title={acl.resource_name}>
          {acl.resource_name}
        </a>
      )}
      {acl.pattern_type === "PREFIXED" && <span class="mono soft">*</span>}
    </>
  );
}

function hrefOf(acl: Acl, cluster: string): string | null {
  if (acl.pattern_type !== "LITERAL") return null;
  if (acl.resource_type === "TOPIC") return build("/clusters/:cluster/topics/:topic", { cluster, topic: acl.resource_name });
  if (acl.resource_type === "GROUP") return build("/clusters/:cluster/groups/:group", { cluster, group: acl.resource_name });
  return null;
}

/** The pattern is a column of its own for the file, and hidden where it is read: the name shows it. */
export function aclColumns(clusterId: string): Column<Acl>[] {
  return [
    { id: "principal", title: t("acls.principal"), value: (acl) => acl.principal, width: 100, isWide: true, priority: 1, cell: (acl) => <span class="mono" title={acl.principal}>{acl.principal}</span> },
    { id: "permission", title: t("acls.permission"), value: (acl) => acl.permission, width: 88, priority: 3, cell: (acl) => <PermissionMark acl={acl} /> },
    { id: "operation", title: t("acls.operation"), value: (acl) => acl.operation, width: 124, priority: 2, cell: (acl) => <span class="small mono" title={acl.operation}>{acl.operation}</span> },
    { id: "resource_type", title: t("acls.resource_type"), value: (acl) => acl.resource_type, width: 120, priority: 3, cell: (acl) => t(`acls.type.${acl.resource_type}`) },
    { id: "resource_name", title: t("acls.resource"), value: (acl) => acl.resource_name, width: 84, isWide: true, priority: 1, cell: (acl) => <ResourceName acl={acl} clusterId={clusterId} /> },
    { id: "pattern_type", title: t("acls.pattern"), value: (acl) => acl.pattern_type, width: 88, priority: 5, cell: (acl) => (acl.pattern_type === "PREFIXED" ? <span class="tag">{t("acls.prefixed")}</span> : <span class="soft">{t("acls.literal")}</span>) },
    { id: "host", title: t("acls.host"), value: (acl) => acl.host, width: 104, priority: 4, cell: (acl) => (acl.host === "*" ? <span class="soft">{t("acls.any")}</span> : <span class="mono" title={acl.host}>{acl.host}</span>) },
  ];
}
