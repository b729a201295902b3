// A stand-in with the size of what is to come. Shown after 200 ms only: `useApi` says when.
import { t } from "../i18n/text";
import "./skeleton.css";

export function Skeleton({ lines = 3, isShown = true }: { lines?: number; isShown?: boolean }) {
  return (
    <div class={`skeleton${isShown ? "" : " hidden"}`} role="status">
      <span class="unseen">{isShown ? t("loading") : ""}</span>
      {Array.from({ length: lines }, (_, index) => (
        <div key={index} class={`bar w${index % 4}`} />
      ))}
    </div>
  );
}
