// How the search goes, in one line that keeps its height.
import { Icon } from "../../components/Icon";
import { Bytes, Count, Duration } from "../../components/Quantity";
import { type Status, StatusMark } from "../../components/StatusMark";
import { type Key, t } from "../../i18n/text";
import type { Messages, RunState } from "./use_messages";

const MARKS: Record<RunState, [Status, Key]> = {
  running: ["idle", "messages.running"],
  following: ["good", "messages.following"],
  lost: ["warning", "messages.lost"],
  done: ["good", "messages.done"],
  broken: ["bad", "messages.broken"],
  stopped: ["idle", "messages.stopped"],
  refused: ["bad", "messages.refused"],
};
const REASONS: Record<string, Key> = { limit: "messages.done_limit", end: "messages.done", time: "messages.done_time" };

export interface ProgressLineProps {
  messages: Messages;
  isPaused: boolean;
  onPause(isPaused: boolean): void;
  onShowNew(): void;
}

export function ProgressLine({ messages, isPaused, onPause, onShowNew }: ProgressLineProps) {
  const { state, progress, reason, waiting } = messages;
  const isFollowing = state === "following" || state === "lost";
  const [status, word] = isPaused && isFollowing ? (["idle", "messages.paused"] as const) : MARKS[state];
  return (
    <div class="message-progress">
      <span role="status">
        <StatusMark status={status} isQuiet={status === "good"}>
          {t(reason === null ? word : (REASONS[reason] ?? word))}
        </StatusMark>
      </span>
      {progress !== null && (
        <span class="soft small message-figures">
          <span>
            <Count value={progress.matched} /> {t("messages.matched")}
          </span>
          <span>
            <Count value={progress.scanned} /> {t("messages.scanned")}
          </span>
          <span class="message-aside">
            <Bytes value={progress.bytes} />
          </span>
          <span class="message-aside">
            <Duration ms={progress.elapsed_ms} />
          </span>
          {progress.skipped > 0 && <span>{t("messages.skipped", { n: progress.skipped })}</span>}
        </span>
      )}
      {(state === "running" || isFollowing) && (
        <button type="button" class="button quiet" onClick={messages.stop}>
          <Icon name="stop" />
          {t("messages.stop")}
        </button>
      )}
      {isFollowing && (
        <button type="button" class="button quiet" aria-pressed={isPaused} onClick={() => onPause(!isPaused)}>
          <Icon name={isPaused ? "play" : "pause"} />
          {t(isPaused ? "messages.resume" : "messages.pause")}
        </button>
      )}
      {waiting > 0 && (
        <button type="button" class="button message-new" onClick={onShowNew}>
          <Icon name="up" />
          {t("messages.new", { n: waiting })}
        </button>
      )}
      {messages.canGoOn && (
        <button type="button" class="button quiet" onClick={messages.goOn}>
          <Icon name="plus" />
          {t("messages.go_on")}
        </button>
      )}
      {(state === "broken" || state === "stopped") && (
        <button type="button" class="button quiet" onClick={messages.again}>
          <Icon name="refresh" />
          {t("messages.again")}
        </button>
      )}
    </div>
  );
}
