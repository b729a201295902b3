// Copying: a text, or an action as the commands that do the same.
import { useState } from "preact/hooks";
import { address, type Method, type Query } from "../api/client";
import { me } from "../api/me";
import { curl } from "../format/shell";
import { t } from "../i18n/text";
import { Icon } from "./Icon";
import { Menu } from "./Menu";
import { toast } from "./toasts";

export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast({ text: t("copy.done") });
  } catch {
    toast({ text: t("copy.refused"), status: "warning" });
  }
}

export function CopyText({ text, label }: { text: string; label?: string }) {
  const [isDone, setDone] = useState(false);
  return (
    <button
      type="button"
      class="button quiet icon"
      aria-label={label ?? t("copy.text")}
      title={label ?? t("copy.text")}
      onClick={() => {
        void copy(text).then(() => setDone(true));
        setTimeout(() => setDone(false), 1500);
      }}
    >
      <Icon name={isDone ? "link" : "copy"} />
    </button>
  );
}

export interface Action {
  method: Method;
  path: string;
  query?: Query;
  body?: unknown;
  /** The command-line tool that does it, where there is one. */
  command?: string | undefined;
}

export function CopyAs({ action, isLabelled }: { action: Action; isLabelled?: boolean }) {
  const url = location.origin + address(action.path, action.query);
  const items = [
    ...(action.command === undefined ? [] : [{ label: t("copy.as_command"), onSelect: () => void copy(action.command ?? "") }]),
    { label: t("copy.as_curl"), onSelect: () => void copy(curl(action.method, url, action.body, me.get())) },
  ];
  if (!isLabelled) return <Menu label={t("copy.as")} icon="copy" items={items} />;
  return (
    <Menu label={t("copy.as")} className="button quiet copy-as" align="start" items={items}>
      <Icon name="copy" />
      <span class="word">{t("copy.as_short")}</span>
    </Menu>
  );
}
