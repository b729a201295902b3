// The browser's own dialog: it keeps the focus, closes on Escape and dims the rest.
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { sentence } from "../api/client";
import { t } from "../i18n/text";
import { type Action, CopyAs } from "./CopyAs";
import "./dialog.css";
import { Icon } from "./Icon";
import { StatusMark } from "./StatusMark";

// One with suggestions would cover what is below it.
const FIRST_FIELD = ".dialog-body :is(input:not([type=checkbox], [type=radio], [role=combobox], :disabled), textarea:not(:disabled), select:not(:disabled))";

export interface DialogProps {
  title: string;
  onClose(): void;
  children: ComponentChildren;
  footer?: ComponentChildren;
  size?: "small" | "medium" | "large";
  /** A drawer at the right edge, for details beside a list. */
  isDrawer?: boolean;
}

export function Dialog({ title, onClose, children, footer, size = "medium", isDrawer }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const shown = dialog.current;
    const before = document.activeElement;
    shown?.showModal();
    // What is to be filled in comes before the button that closes.
    if (!isDrawer) shown?.querySelector<HTMLElement>(FIRST_FIELD)?.focus();
    return () => {
      shown?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={isDrawer ? "dialog drawer" : `dialog of-${size}`}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div class="dialog-box">
        <header>
          <h2 id={heading} class="cut">
            {title}
          </h2>
          <button type="button" class="button quiet icon" aria-label={t("action.close")} onClick={onClose}>
            <Icon name="close" />
          </button>
        </header>
        <div class="dialog-body">{children}</div>
        {footer !== undefined && <footer>{footer}</footer>}
      </div>
    </dialog>
  );
}

export interface ActionDialogProps {
  title: string;
  /** What the button says: the verb. */
  verb: string;
  action: Action;
  onClose(): void;
  onRun(): Promise<void>;
  children: ComponentChildren;
  isReady?: boolean;
  isDangerous?: boolean;
  size?: "small" | "medium" | "large";
  /** What it does now is not the last of it: a trial before the change. */
  staysOpen?: boolean;
}

/** A dialog that does one thing: it stays open with the reason when that is refused, and shows the same as commands. */
export function ActionDialog({ title, verb, action, onClose, onRun, children, isReady = true, isDangerous, size, staysOpen }: ActionDialogProps) {
  const [error, setError] = useState<string | null>(null);
  const [isRunning, setRunning] = useState(false);
  const form = useId();
  const run = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!isReady || isRunning) return;
    setRunning(true);
    setError(null);
    try {
      await onRun();
      // Some stay open for the next one.
      setRunning(false);
      if (!staysOpen) onClose();
    } catch (problem) {
      setError(sentence(problem));
      setRunning(false);
    }
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      {...(size === undefined ? {} : { size })}
      footer={
        <>
          <CopyAs action={action} isLabelled />
          <span class="push" />
          <button type="button" class="button" onClick={onClose}>
            {t("action.cancel")}
          </button>
          <button type="submit" form={form} class={`button ${isDangerous ? "danger" : "main"}`} disabled={!isReady || isRunning}>
            {verb}
          </button>
        </>
      }
    >
      <form id={form} class="stack" onSubmit={(event) => void run(event)}>
        {children}
        {error !== null && (
          <div role="alert" class="dialog-error">
            <StatusMark status="bad" />
            <span>{error}</span>
          </div>
        )}
      </form>
    </Dialog>
  );
}

export interface TypedNameDialogProps extends Omit<ActionDialogProps, "isDangerous"> {
  name: string;
}

/** Before what cannot be undone: the name has to be typed. */
export function TypedNameDialog({ name, children, isReady = true, size = "small", ...rest }: TypedNameDialogProps) {
  const [typed, setTyped] = useState("");
  const field = useId();
  return (
    <ActionDialog {...rest} isDangerous isReady={isReady && typed === name} size={size}>
      {children}
      <div class="field">
        <label for={field}>{t("typed_name.label", { name })}</label>
        <input id={field} class="input mono" value={typed} autocomplete="off" spellcheck={false} onInput={(event) => setTyped(event.currentTarget.value)} />
      </div>
    </ActionDialog>
  );
}
