// Every text that a page shows goes by here, whoever chose it: names, keys, client ids, errors. Fields keep what they have.
import { options, type VNode } from "preact";
import { visible } from "./format/visible";

/** Attributes that are read out or shown beside the pointer. */
const READ = ["title", "aria-label", "aria-description", "alt", "placeholder"];

/** Preact tells of every node that is made; of a text the type is null, and its props are the text. */
export function showUnseen(): void {
  const before = options.vnode;
  options.vnode = (node) => {
    before?.(node);
    const made = node as { type: VNode["type"] | null; props: unknown };
    if (made.type === null) {
      if (typeof made.props === "string") made.props = visible(made.props);
    } else if (typeof made.type === "string") {
      const props = made.props as Record<string, unknown>;
      for (const name of READ) {
        const text = props[name];
        if (typeof text === "string") props[name] = visible(text);
      }
    }
  };
}
