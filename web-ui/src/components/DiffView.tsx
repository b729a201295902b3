// Two texts side by side; on small screens one above the other. What differs has a mark, not a colour alone.
import { useMemo } from "preact/hooks";
import { diffLines, withoutComma } from "../format/diff";
import { t } from "../i18n/text";
import "./diff_view.css";

export interface DiffViewProps {
  before: string;
  after: string;
  beforeTitle: string;
  afterTitle: string;
  /** Commas at the end of lines do not count. */
  isJson?: boolean;
}

export function DiffView({ before, after, beforeTitle, afterTitle, isJson = false }: DiffViewProps) {
  const rows = useMemo(() => (isJson ? diffLines(before, after, withoutComma) : diffLines(before, after)), [before, after, isJson]);
  if (before === after) return <p class="soft">{t("diff.same")}</p>;
  return (
    <div class="diff" role="table" aria-label={`${beforeTitle} / ${afterTitle}`} tabIndex={0}>
      <div class="diff-row diff-head" role="row">
        <span role="columnheader">{beforeTitle}</span>
        <span role="columnheader">{afterTitle}</span>
      </div>
      {rows.map((row, index) => (
        <div key={index} class="diff-row" role="row">
          <Side line={row.left} isDifferent={row.kind === "removed" || row.kind === "changed"} sign="−" word={t("diff.removed")} className="removed" />
          <Side line={row.right} isDifferent={row.kind === "added" || row.kind === "changed"} sign="+" word={t("diff.added")} className="added" />
        </div>
      ))}
    </div>
  );
}

function Side({ line, isDifferent, sign, word, className }: { line: { number: number; text: string } | null; isDifferent: boolean; sign: string; word: string; className: string }) {
  if (line === null) return <span class="diff-side none" role="cell" />;
  return (
    <span class={`diff-side${isDifferent ? ` ${className}` : ""}`} role="cell">
      <span class="diff-number">{line.number}</span>
      <span class="diff-sign">
        <span aria-hidden="true">{isDifferent ? sign : ""}</span>
        {isDifferent && <span class="unseen">{word}</span>}
      </span>
      <span class="diff-text">{line.text}</span>
    </span>
  );
}
