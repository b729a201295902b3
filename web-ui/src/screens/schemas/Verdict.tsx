// What the registry says of a schema that is not saved yet: each of its reasons, and the same in its own words.
import type { ComponentChildren } from "preact";
import type { TrialOutcome } from "../../api/schemas";
import { StatusMark } from "../../components/StatusMark";
import { t } from "../../i18n/text";
import { reasonsOf } from "./verdict";

export function isRefused(outcome: TrialOutcome): boolean {
  return !outcome.is_valid || outcome.is_compatible === false;
}

export interface VerdictProps {
  /** Of what is written now; null: not asked for. */
  outcome: TrialOutcome | null;
  /** Why it could not be asked for. */
  problem: string | null;
  /** Something has been written since it was. */
  isOutdated: boolean;
  action: ComponentChildren;
}

export function Verdict({ outcome, problem, isOutdated, action }: VerdictProps) {
  const { reasons, version } = reasonsOf(outcome?.messages ?? []);
  const tone = outcome === null ? "" : isRefused(outcome) ? " refused" : " accepted";
  return (
    <section class={`verdict${tone}`} aria-label={t("schema.verdict")}>
      <div class="verdict-head">
        <div class="push" role="status">
          {problem !== null ? <StatusMark status="bad">{problem}</StatusMark> : <Word outcome={outcome} version={version} isOutdated={isOutdated} />}
        </div>
        {action}
      </div>
      {outcome !== null && reasons.length > 0 && (
        <ul class="verdict-reasons">
          {reasons.map((each, index) => (
            <li key={index}>
              <span>{each.text}</span>
              {(each.kind !== null || each.where !== null) && (
                <span class="row wrap small soft">
                  {each.kind !== null && <span class="mono">{each.kind}</span>}
                  {each.where !== null && <span class="mono">{each.where}</span>}
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {outcome !== null && outcome.messages.length > 0 && (
        <details>
          <summary>{t("schema.in_its_words")}</summary>
          <pre tabIndex={0}>{outcome.messages.join("\n")}</pre>
        </details>
      )}
    </section>
  );
}

function Word({ outcome, version, isOutdated }: { outcome: TrialOutcome | null; version: number | null; isOutdated: boolean }) {
  if (outcome === null) return <span class="soft">{isOutdated ? t("schema.check_again") : t("schema.check_how")}</span>;
  if (!outcome.is_valid) return <StatusMark status="bad">{t("schema.invalid")}</StatusMark>;
  if (outcome.is_compatible !== false) return <StatusMark status="good">{t("schema.compatible")}</StatusMark>;
  return <StatusMark status="bad">{version === null ? t("schema.incompatible") : t("schema.incompatible_with", { version: String(version) })}</StatusMark>;
}
