// A figure with its name above: what one looks at first.
import type { ComponentChildren } from "preact";
import "./figure.css";
import { type Status, StatusMark } from "./StatusMark";

export interface FigureProps {
  name: string;
  children: ComponentChildren;
  status?: Status;
  note?: ComponentChildren;
  href?: string;
}

export function Figure({ name, children, status, note, href }: FigureProps) {
  const value = (
    <>
      {status !== undefined && <StatusMark status={status} />}
      {children}
    </>
  );
  return (
    <div class={`figure${status === "bad" || status === "warning" ? ` ${status}` : ""}`}>
      <dt>{name}</dt>
      <dd>
        {href === undefined ? <span class="figure-value">{value}</span> : <a class="figure-value" href={href}>{value}</a>}
        {note !== undefined && <span class="figure-note">{note}</span>}
      </dd>
    </div>
  );
}

export function Figures({ children }: { children: ComponentChildren }) {
  return <dl class="figures">{children}</dl>;
}
