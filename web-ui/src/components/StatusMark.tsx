// A state: a shape, a colour and a word, so that no one of them has to be enough.
import type { ComponentChildren } from "preact";
import "./status_mark.css";

export type Status = "good" | "warning" | "bad" | "unknown" | "idle";

const SHAPES: Record<Status, string> = {
  good: "M8 13A5 5 0 1 0 8 3a5 5 0 0 0 0 10Z",
  warning: "M8 2.5 14 13H2z",
  bad: "M5.5 2.5h5l3 3v5l-3 3h-5l-3-3v-5z",
  unknown: "M8 13A5 5 0 1 0 8 3a5 5 0 0 0 0 10Z",
  idle: "M3.5 8h9",
};

export function StatusMark({ status, children, isQuiet }: { status: Status; children?: ComponentChildren; isQuiet?: boolean }) {
  return (
    <span class={`status ${status}${isQuiet ? " quiet" : ""}`}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={SHAPES[status]} />
      </svg>
      {children !== undefined && <span class="word">{children}</span>}
    </span>
  );
}
