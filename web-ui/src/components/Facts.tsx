// One line of what is known of a thing, above its tabs. Its room is there before its values are.
import type { ComponentChildren } from "preact";
import "./facts.css";

export function Facts({ facts }: { facts: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value ?? "\u00a0"}</dd>
        </div>
      ))}
    </dl>
  );
}
