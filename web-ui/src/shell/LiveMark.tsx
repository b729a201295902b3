// The brook: it runs while what is shown is fresh, and lies still with its age when it is not.
import { useNow } from "../components/RelativeTime";
import { live } from "../api/live";
import { exactTime, relativeTime } from "../format/time";
import { language, t } from "../i18n/text";
import { useStore } from "../store";
import "./live_mark.css";

/** Older than this is told, though nobody has said why. */
const FRESH_MS = 30_000;

export function LiveMark({ asOfMs, staleReason }: { asOfMs: number | null; staleReason: string | null }) {
  const now = useNow();
  const { state, overview } = useStore(live);
  const at = asOfMs ?? overview?.as_of_ms ?? null;
  const isOld = staleReason !== null || (at !== null && now - at > FRESH_MS);
  const isStill = isOld || state === "waiting";
  const age = at === null ? "" : relativeTime(at, Math.max(at, now), language());
  const word = isOld ? t("live.old", { age }) : state === "waiting" ? t("live.waiting") : t("live.fresh");
  const title = [staleReason, at === null ? null : t("live.as_of", { time: exactTime(at, language()) })].filter(Boolean).join("\n");
  return (
    <span class={`live${isStill ? " still" : ""}`} title={title} role="status">
      <svg viewBox="0 0 32 12" aria-hidden="true">
        <path d={isStill ? "M0 6h32" : "M-16 6c2.7-4 5.3-4 8 0s5.3 4 8 0 5.3-4 8 0 5.3 4 8 0 5.3-4 8 0 5.3 4 8 0 5.3-4 8 0"} />
      </svg>
      <span class="live-word">{word}</span>
    </span>
  );
}
