// One line of what is known of a thing, above its tabs or alone. Its room is there before its values are.
import type { ComponentChildren } from "preact";
import "./facts.css";

export function Facts({ facts, isAlone }: { facts: readonly (readonly [string, ComponentChildren])[]; isAlone?: boolean }) {
  return (
    <dl class={isAlone ? "facts alone" : "facts"}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value ?? "\u00a0"}</dd>
        </div>
      ))}
    </dl>
  );
}
