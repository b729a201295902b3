// Replicas as somebody writes them: a line a partition, the first of each leads where it can.
import { useId } from "preact/hooks";
import { t } from "../../i18n/text";
import { listsOf } from "./move_request";

export function WrittenLists({ text, onChange }: { text: string; onChange(text: string): void }) {
  const id = useId();
  const written = listsOf(text);
  const wrong = "line" in written ? written.line : null;
  return (
    <div class="field">
      <label for={`${id}-lists`}>{t("moves.lists")}</label>
      <textarea
        id={`${id}-lists`}
        class="input mono"
        rows={4}
        value={text}
        placeholder={"orders 0: 2,3,1\norders 1: 3,1,2"}
        autocomplete="off"
        spellcheck={false}
        aria-invalid={wrong !== null}
        aria-describedby={`${id}-hint`}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <span id={`${id}-hint`} class="hint">
        {wrong === null ? t("moves.lists_hint") : t("moves.lists_wrong", { n: wrong })}
      </span>
    </div>
  );
}
