// What was run from this browser, the newest first.
import { Dialog } from "../../components/Dialog";
import { EmptyState } from "../../components/EmptyState";
import { Icon } from "../../components/Icon";
import { RelativeTime } from "../../components/RelativeTime";
import { StatusMark } from "../../components/StatusMark";
import { t } from "../../i18n/text";
import { HISTORY_MAX, type Ran } from "./draft";

export function HistoryDrawer({ history, onClose, onChoose, onClear }: { history: readonly Ran[]; onClose(): void; onChoose(sql: string): void; onClear(): void }) {
  return (
    <Dialog
      title={t("sql.history")}
      isDrawer
      onClose={onClose}
      footer={
        history.length > 0 && (
          <>
            <span class="soft small">{t("sql.history_about", { n: HISTORY_MAX })}</span>
            <span class="push" />
            <button type="button" class="button" onClick={onClear}>
              <Icon name="trash" />
              {t("sql.history_clear")}
            </button>
          </>
        )
      }
    >
      {history.length === 0 && <EmptyState title={t("sql.history_none")}>{t("sql.history_none_why")}</EmptyState>}
      <ul class="sql-history">
        {history.map((each) => (
          <li key={each.sql}>
            <div class="row">
              <StatusMark status={each.is_good ? "good" : "bad"} isQuiet={each.is_good}>
                {t(each.is_good ? "sql.ran" : "sql.failed")}
              </StatusMark>
              <span class="soft small">
                <RelativeTime ms={each.at_ms} />
              </span>
              <span class="push" />
              <button type="button" class="button quiet" onClick={() => onChoose(each.sql)}>
                <Icon name="edit" />
                {t("sql.to_editor")}
              </button>
            </div>
            <pre tabIndex={0}>{each.sql}</pre>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
