import { useEffect, useId, useState } from "preact/hooks";
import { type Acl, aclKey, type PatternType } from "../../api/acls";
import { path } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import { Combobox } from "../../components/Combobox";
import { CsvButton, type CsvLines } from "../../components/CsvButton";
import { ActionDialog } from "../../components/Dialog";
import { StatusMark } from "../../components/StatusMark";
import { t } from "../../i18n/text";
import type { AclDialogProps } from "./AclDialog";
import { keysOf, makeAcls } from "./acl_changes";
import { ResourceName } from "./acl_columns";
import { aclCommand } from "./acl_command";
import { groupNames, lastOf, principalNames, topicNames } from "./names";
import { entriesOf, isPrincipal, NEEDS_NAME, type PurposeForm, PURPOSES } from "./purposes";
import "./security.css";

const PAUSE_MS = 250;

/** What an application is for, and exactly the entries that this comes to. */
export function PurposeDialog({ cluster, topic, onClose, onDone }: AclDialogProps) {
  const [form, setForm] = useState<PurposeForm>({ purpose: "producer", principal: "User:", host: "*", topics: topic ?? "", outputs: "", name: "", pattern: "LITERAL", isExactlyOnce: true });
  const id = useId();
  const put = (change: Partial<PurposeForm>): void => setForm({ ...form, ...change });
  const acls = entriesOf(form);
  const there = useThere(cluster, form.principal);
  const isNew = acls?.some((acl) => !there.has(aclKey(acl))) ?? false;
  const isPrincipalWrong = form.principal !== "User:" && !isPrincipal(form.principal);
  const isStreams = form.purpose === "streams";
  return (
    <ActionDialog
      title={t("acls.create_purpose")}
      verb={t("acls.create_verb", { n: acls?.length ?? 0 })}
      size="large"
      action={{ method: "POST", path: path`/clusters/${cluster.id}/acls`, body: { acls: acls ?? [] }, command: aclCommand(cluster, "--add", acls ?? []) }}
      isReady={acls !== null && isNew}
      onClose={onClose}
      onRun={() => makeAcls(cluster, acls ?? [], onDone)}
    >
      <fieldset class="purpose-ways">
        <legend class="unseen">{t("acls.purpose")}</legend>
        {PURPOSES.map((purpose) => (
          <label key={purpose} class="check">
            <input type="radio" name={`${id}-purpose`} checked={form.purpose === purpose} onChange={() => put({ purpose })} />
            {t(`acls.purpose.${purpose}`)}
          </label>
        ))}
      </fieldset>
      <p class="soft">{t(`acls.about.${form.purpose}`)}</p>
      <div class="two-columns">
        <div class="field">
          <label for={`${id}-principal`}>{t("acls.principal")}</label>
          <Combobox id={`${id}-principal`} value={form.principal} options={principalNames(cluster)} isInvalid={isPrincipalWrong} onChange={(principal) => put({ principal })} />
          <span class={isPrincipalWrong ? "wrong" : "hint"}>{t("acls.principal_hint")}</span>
        </div>
        <div class="field">
          <label for={`${id}-host`}>{t("acls.host")}</label>
          <input id={`${id}-host`} class="input mono" value={form.host} autocomplete="off" spellcheck={false} onInput={(event) => put({ host: event.currentTarget.value })} />
          <span class="hint">{t("acls.host_hint")}</span>
        </div>
        <TopicsField cluster={cluster} id={`${id}-topics`} label={isStreams ? t("acls.inputs") : t("topics.title")} value={form.topics} onChange={(topics) => put({ topics })} />
        {isStreams && <TopicsField cluster={cluster} id={`${id}-outputs`} label={t("acls.outputs")} value={form.outputs} onChange={(outputs) => put({ outputs })} />}
        {NEEDS_NAME[form.purpose] && <NameField cluster={cluster} id={id} form={form} onChange={put} />}
      </div>
      {isStreams && (
        <label class="check">
          <input type="checkbox" checked={form.isExactlyOnce} onChange={(event) => put({ isExactlyOnce: event.currentTarget.checked })} />
          {t("acls.exactly_once")}
        </label>
      )}
      <Preview acls={acls} there={there} />
    </ActionDialog>
  );
}

function TopicsField({ cluster, id, label, value, onChange }: { cluster: Cluster; id: string; label: string; value: string; onChange(value: string): void }) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <Combobox id={id} value={value} options={lastOf(topicNames(cluster))} onChange={onChange} />
      <span class="hint">{t("acls.topics_hint")}</span>
    </div>
  );
}

function NameField({ cluster, id, form, onChange }: { cluster: Cluster; id: string; form: PurposeForm; onChange(change: Partial<PurposeForm>): void }) {
  const label = form.purpose === "consumer" ? t("group.title") : form.purpose === "transactional" ? t("transactions.id") : t("acls.application");
  const name = <Combobox id={`${id}-name`} value={form.name} options={form.purpose === "transactional" ? [] : groupNames(cluster)} onChange={(value) => onChange({ name: value })} />;
  return (
    <div class="field">
      <label for={`${id}-name`}>{label}</label>
      {form.purpose === "streams" ? (
        name
      ) : (
        <div class="name-field">
          {name}
          <select class="input" aria-label={t("acls.pattern")} value={form.pattern} onChange={(event) => onChange({ pattern: event.currentTarget.value as PatternType })}>
            <option value="LITERAL">{t("acls.literal")}</option>
            <option value="PREFIXED">{t("acls.prefixed")}</option>
          </select>
        </div>
      )}
    </div>
  );
}

/** Which entries the principal has, asked once nobody types any more. */
function useThere(cluster: Cluster, principal: string): ReadonlySet<string> {
  const [there, setThere] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    setThere(new Set());
    if (!isPrincipal(principal)) return;
    const stop = new AbortController();
    const timer = setTimeout(() => void keysOf(cluster, principal, stop.signal).then((found) => !stop.signal.aborted && setThere(found), () => undefined), PAUSE_MS);
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [cluster.id, principal]);
  return there;
}

const WRITTEN = ["principal", "host", "operation", "permission", "resource_type", "pattern_type", "resource_name"] as const;

function previewLines(acls: readonly Acl[], there: ReadonlySet<string>): CsvLines {
  return [[...WRITTEN, "is_new"], ...acls.map((acl) => [...WRITTEN.map((name) => acl[name]), !there.has(aclKey(acl))])];
}

function Preview({ acls, there }: { acls: readonly Acl[] | null; there: ReadonlySet<string> }) {
  return (
    <section class="panel purpose-preview" aria-live="polite">
      <header class="panel-head">
        <h3>{t("acls.preview")}</h3>
        {acls !== null && (
          <>
            <span class="soft small">{t("table.rows", { n: acls.length })}</span>
            <CsvButton name="acls" isDisabled={acls.length === 0} lines={() => previewLines(acls, there)} />
          </>
        )}
      </header>
      {acls === null ? (
        <p class="soft panel-body">{t("acls.preview_how")}</p>
      ) : (
        <div class="purpose-rows" tabIndex={0} role="region" aria-label={t("acls.preview")}>
          <table class="plain">
            <thead>
              <tr>
                <th scope="col">{t("acls.operation")}</th>
                <th scope="col">{t("acls.resource_type")}</th>
                <th scope="col">{t("acls.resource")}</th>
                <th scope="col">
                  <span class="unseen">{t("acls.state")}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {acls.map((acl) => (
                <tr key={aclKey(acl)}>
                  <td class="mono">{acl.operation}</td>
                  <td>{t(`acls.type.${acl.resource_type}`)}</td>
                  <td class="purpose-name">
                    <ResourceName acl={acl} clusterId={null} />
                  </td>
                  <td class="purpose-state">{there.has(aclKey(acl)) ? <span class="soft">{t("acls.there")}</span> : <StatusMark status="good">{t("acls.new")}</StatusMark>}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
