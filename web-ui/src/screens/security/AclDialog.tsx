import { useId, useState } from "preact/hooks";
import { type Acl, type AclOperation, CLUSTER_RESOURCE, OPERATIONS, type PatternType, type Permission, RESOURCE_TYPES, type ResourceType } from "../../api/acls";
import { path } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import { Combobox } from "../../components/Combobox";
import { ActionDialog } from "../../components/Dialog";
import { t } from "../../i18n/text";
import { makeAcls } from "./acl_changes";
import { aclCommand } from "./acl_command";
import { groupNames, principalNames, topicNames } from "./names";
import { isPrincipal } from "./purposes";

export interface AclDialogProps {
  cluster: Cluster;
  /** The topic that it begins with. */
  topic?: string;
  onClose(): void;
  onDone(): void;
}

/** One entry, every word of it chosen. */
export function AclDialog({ cluster, topic, onClose, onDone }: AclDialogProps) {
  const [acl, setAcl] = useState<Acl>({ resource_type: "TOPIC", resource_name: topic ?? "", pattern_type: "LITERAL", principal: "User:", operation: "READ", host: "*", permission: "ALLOW" });
  const id = useId();
  const put = (change: Partial<Acl>): void => setAcl({ ...acl, ...change });
  const setType = (type: ResourceType): void => {
    const operation = OPERATIONS[type].includes(acl.operation) ? acl.operation : (OPERATIONS[type][0] ?? "ALL");
    put({ resource_type: type, operation, ...(type === "CLUSTER" ? { resource_name: CLUSTER_RESOURCE, pattern_type: "LITERAL" as const } : acl.resource_type === "CLUSTER" ? { resource_name: "" } : {}) });
  };
  const isPrincipalWrong = acl.principal !== "User:" && !isPrincipal(acl.principal);
  const names = { TOPIC: topicNames(cluster), GROUP: groupNames(cluster), USER: principalNames(cluster), CLUSTER: [], TRANSACTIONAL_ID: [], DELEGATION_TOKEN: [] }[acl.resource_type];
  return (
    <ActionDialog
      title={t("acls.create_one")}
      verb={t("acls.create_verb", { n: 1 })}
      action={{ method: "POST", path: path`/clusters/${cluster.id}/acls`, body: { acls: [acl] }, command: aclCommand(cluster, "--add", [acl]) }}
      isReady={isPrincipal(acl.principal) && acl.resource_name !== "" && acl.host !== ""}
      onClose={onClose}
      onRun={() => makeAcls(cluster, [acl], onDone)}
    >
      <div class="two-columns">
        <div class="field">
          <label for={`${id}-principal`}>{t("acls.principal")}</label>
          <Combobox id={`${id}-principal`} value={acl.principal} options={principalNames(cluster)} isInvalid={isPrincipalWrong} onChange={(principal) => put({ principal })} />
          <span class={isPrincipalWrong ? "wrong" : "hint"}>{t("acls.principal_hint")}</span>
        </div>
        <div class="field">
          <label for={`${id}-permission`}>{t("acls.permission")}</label>
          <select id={`${id}-permission`} class="input" value={acl.permission} onChange={(event) => put({ permission: event.currentTarget.value as Permission })}>
            <option value="ALLOW">{t("acls.allow")}</option>
            <option value="DENY">{t("acls.deny")}</option>
          </select>
          <span class="hint">{t("acls.deny_hint")}</span>
        </div>
        <div class="field">
          <label for={`${id}-type`}>{t("acls.resource_type")}</label>
          <select id={`${id}-type`} class="input" value={acl.resource_type} onChange={(event) => setType(event.currentTarget.value as ResourceType)}>
            {RESOURCE_TYPES.map((type) => (
              <option key={type} value={type}>
                {t(`acls.type.${type}`)}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for={`${id}-operation`}>{t("acls.operation")}</label>
          <select id={`${id}-operation`} class="input" value={acl.operation} onChange={(event) => put({ operation: event.currentTarget.value as AclOperation })}>
            {OPERATIONS[acl.resource_type].map((operation) => (
              <option key={operation} value={operation}>
                {operation}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for={`${id}-name`}>{t("acls.resource")}</label>
          <Combobox id={`${id}-name`} value={acl.resource_name} options={names} isDisabled={acl.resource_type === "CLUSTER"} onChange={(name) => put({ resource_name: name })} />
        </div>
        <div class="field">
          <label for={`${id}-pattern`}>{t("acls.pattern")}</label>
          <select id={`${id}-pattern`} class="input" value={acl.pattern_type} disabled={acl.resource_type === "CLUSTER"} onChange={(event) => put({ pattern_type: event.currentTarget.value as PatternType })}>
            <option value="LITERAL">{t("acls.literal_long")}</option>
            <option value="PREFIXED">{t("acls.prefixed_long")}</option>
          </select>
        </div>
        <div class="field">
          <label for={`${id}-host`}>{t("acls.host")}</label>
          <input id={`${id}-host`} class="input mono" value={acl.host} autocomplete="off" spellcheck={false} onInput={(event) => put({ host: event.currentTarget.value })} />
          <span class="hint">{t("acls.host_hint")}</span>
        </div>
      </div>
    </ActionDialog>
  );
}
