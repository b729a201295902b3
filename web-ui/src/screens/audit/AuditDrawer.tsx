import type { AuditEntry } from "../../api/audit";
import { Dialog } from "../../components/Dialog";
import { StatusMark } from "../../components/StatusMark";
import { exactTime } from "../../format/time";
import { language, t } from "../../i18n/text";
import { CLUSTER, OUTCOME_MARKS, whatOf } from "./audit_words";
import "./audit.css";

export function AuditDrawer({ entry, onClose }: { entry: AuditEntry; onClose(): void }) {
  const mark = OUTCOME_MARKS[entry.outcome];
  return (
    <Dialog title={`${entry.method} ${whatOf(entry)}`} isDrawer onClose={onClose}>
      <div class="stack">
        <dl class="audit-facts">
          <dt>{t("audit.when")}</dt>
          <dd>{exactTime(entry.at_ms, language())}</dd>
          <dt>{t("audit.who")}</dt>
          <dd>
            {entry.who ?? t("audit.nobody")} {entry.role !== null && <span class="tag">{roleWord(entry.role)}</span>}
          </dd>
          <dt>{t("audit.address")}</dt>
          <dd class="mono">{entry.address}</dd>
          <dt>{t("audit.route")}</dt>
          <dd class="mono">{`${entry.method} ${entry.route}`}</dd>
          <dt>{t("audit.outcome")}</dt>
          <dd class="row wrap">
            <StatusMark status={mark.status}>{t(mark.title)}</StatusMark>
            <span class="soft">{`HTTP ${entry.status}`}</span>
          </dd>
          {entry.reason !== null && (
            <>
              <dt>{t("audit.reason")}</dt>
              <dd>{entry.reason}</dd>
            </>
          )}
        </dl>
        <Names title={t("audit.about")} names={entry.about} />
        <Names title={t("audit.notes")} names={entry.notes} />
        {entry.left_out > 0 && <p>{t("audit.left_out", { n: entry.left_out })}</p>}
      </div>
    </Dialog>
  );
}

/** As the rest of the page says it; one of another version as it is. */
function roleWord(role: string): string {
  return role === "viewer" || role === "operator" || role === "admin" ? t(`role.${role}`) : role;
}

function Names({ title, names }: { title: string; names: Record<string, string> }) {
  const rows = Object.entries(names).filter(([, value]) => value !== "");
  if (rows.length === 0) return null;
  return (
    <section class="stack tight">
      <h3>{title}</h3>
      <dl class="audit-facts">
        {rows.flatMap(([name, value]) => [<dt key={`${name} name`}>{name === CLUSTER ? t("audit.cluster") : name}</dt>, <dd key={name} class="mono">{value}</dd>])}
      </dl>
    </section>
  );
}
