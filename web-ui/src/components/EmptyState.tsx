// Nothing to show: why that is, and what one would do next.
import type { ComponentChildren } from "preact";
import { sentence } from "../api/client";
import { t } from "../i18n/text";
import { CopyText } from "./CopyAs";
import "./empty_state.css";
import { Icon } from "./Icon";
import { StatusMark } from "./StatusMark";

export function EmptyState({ title, children, command, action }: { title: string; children?: ComponentChildren; command?: string; action?: ComponentChildren }) {
  return (
    <div class="empty">
      <svg class="empty-waves" viewBox="0 0 120 32" aria-hidden="true">
        <path d="M4 10c9-8 19-8 28 0s19 8 28 0 19-8 28 0 19 8 28 0" />
        <path d="M18 22c9-8 19-8 28 0s19 8 28 0 19-8 28 0" />
      </svg>
      <h2>{title}</h2>
      {children !== undefined && <p class="soft">{children}</p>}
      {command !== undefined && (
        <div class="empty-command">
          <code tabIndex={0}>{command}</code>
          <CopyText text={command} />
        </div>
      )}
      {action}
    </div>
  );
}

/** A list that has rows, and none that the search and filters let through. */
export function NoneFound({ onClear }: { onClear(): void }) {
  return (
    <EmptyState
      title={t("table.none_found")}
      action={
        <button type="button" class="button" onClick={onClear}>
          {t("table.show_all")}
        </button>
      }
    >
      {t("table.none_found_why")}
    </EmptyState>
  );
}

export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  return (
    <div class="empty" role="alert">
      <StatusMark status="bad">{t("error.title")}</StatusMark>
      <p class="sentence">{sentence(error)}</p>
      {onRetry !== undefined && (
        <button type="button" class="button" onClick={onRetry}>
          <Icon name="refresh" />
          {t("action.retry")}
        </button>
      )}
    </div>
  );
}
