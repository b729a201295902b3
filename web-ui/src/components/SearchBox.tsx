// The search of a list. `/` comes here; what is typed goes into the URL after a short pause.
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../i18n/text";
import { Icon } from "./Icon";
import "./search_box.css";

const PAUSE_MS = 180;

export function SearchBox({ value, onSearch, label }: { value: string; onSearch(text: string): void; label: string }) {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const sent = useRef(value);
  useEffect(() => {
    // From outside: the browser's back button, a link.
    if (value !== sent.current) {
      sent.current = value;
      setText(value);
    }
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const tell = (next: string): void => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      sent.current = next;
      onSearch(next);
    }, PAUSE_MS);
  };
  return (
    <div class="search-box">
      <Icon name="search" />
      <input
        class="input"
        type="search"
        data-search
        value={text}
        placeholder={label}
        aria-label={label}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => tell(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape" && text !== "") {
            event.stopPropagation();
            tell("");
          }
        }}
      />
      <kbd aria-hidden="true" title={t("keys.search")}>
        /
      </kbd>
    </div>
  );
}
