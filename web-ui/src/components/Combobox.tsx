// A field with suggestions; what is not suggested may be typed too, unless `isStrict`.
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { t } from "../i18n/text";
import "./combobox.css";
import { attach } from "./Menu";

export interface ComboboxProps {
  id?: string;
  label?: string;
  value: string;
  /** All of them, or what the server has for a text. */
  options: readonly string[] | ((text: string, signal: AbortSignal) => Promise<readonly string[]>);
  onChange(value: string): void;
  isDisabled?: boolean;
  isStrict?: boolean;
  isInvalid?: boolean;
  placeholder?: string;
  /** Ids of what is said about it. */
  describedBy?: string;
}

const SHOWN_MAX = 50;
const PAUSE_MS = 120;

export function Combobox({ id, label, value, options, onChange, isDisabled, isStrict, isInvalid, placeholder, describedBy }: ComboboxProps) {
  const own = useId();
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const [text, setText] = useState(value);
  const [isOpen, setOpen] = useState(false);
  const [isTyped, setTyped] = useState(false);
  const [at, setAt] = useState(-1);
  const [asked, setAsked] = useState<readonly string[]>([]);

  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (!isOpen || typeof options !== "function") return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      options(isTyped ? text : "", stop.signal).then(
        (found) => !stop.signal.aborted && setAsked(found),
        () => setAsked([]),
      );
    }, PAUSE_MS);
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [isOpen, text, isTyped, typeof options === "function"]);
  const wanted = isTyped ? text.toLowerCase() : "";
  const shown = (typeof options === "function" ? asked : options.filter((each) => each.toLowerCase().includes(wanted))).slice(0, SHOWN_MAX);
  useEffect(() => {
    const popup = list.current;
    if (popup === null) return;
    if (isOpen && shown.length > 0) {
      popup.style.setProperty("min-width", `${input.current?.offsetWidth ?? 120}px`);
      attach(popup, input.current, "start");
      popup.showPopover();
    } else if (popup.matches(":popover-open")) popup.hidePopover();
  }, [isOpen, shown.length]);

  const take = (choice: string): void => {
    setText(choice);
    setOpen(false);
    setTyped(false);
    setAt(-1);
    onChange(choice);
  };
  const leave = (): void => {
    setOpen(false);
    setTyped(false);
    if (isStrict && !(typeof options === "function" ? asked : options).includes(text)) setText(value);
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const choice = shown[at];
    if (step !== 0) {
      event.preventDefault();
      setOpen(true);
      setAt(Math.max(0, Math.min(shown.length - 1, at + step)));
    } else if (event.key === "Enter" && isOpen && choice !== undefined) {
      event.preventDefault();
      take(choice);
    } else if (event.key === "Escape" && isOpen) {
      // Closes the suggestions, not the dialog around them.
      event.preventDefault();
      event.stopPropagation();
      setOpen(false);
    }
  };
  return (
    <div class="combobox">
      <input
        ref={input}
        id={id ?? own}
        class="input"
        role="combobox"
        aria-expanded={isOpen && shown.length > 0}
        aria-controls={`${own}-list`}
        aria-autocomplete="list"
        {...(at >= 0 && isOpen ? { "aria-activedescendant": `${own}-${at}` } : {})}
        {...(label === undefined ? {} : { "aria-label": label })}
        {...(isInvalid ? { "aria-invalid": true } : {})}
        {...(placeholder === undefined ? {} : { placeholder })}
        {...(describedBy ? { "aria-describedby": describedBy } : {})}
        value={text}
        disabled={isDisabled ?? false}
        autocomplete="off"
        spellcheck={false}
        onFocus={() => setOpen(true)}
        onClick={() => setOpen(true)}
        onBlur={leave}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setTyped(true);
          setOpen(true);
          setAt(-1);
          if (!isStrict) onChange(event.currentTarget.value);
        }}
        onKeyDown={onKey}
      />
      <ul ref={list} id={`${own}-list`} popover="manual" class="menu combobox-list" role="listbox" aria-label={label ?? t("combobox.choices")}>
        {shown.map((choice, index) => (
          <li
            key={choice}
            id={`${own}-${index}`}
            role="option"
            aria-selected={index === at}
            onMouseDown={(event) => {
              event.preventDefault();
              take(choice);
            }}
          >
            {choice}
          </li>
        ))}
      </ul>
    </div>
  );
}
