// Keys that work everywhere, as long as nobody is typing.
import { build, navigate } from "../router";
import { SCREENS } from "../screens/table";
import { openKeys, openPalette } from "./doors";

const SECOND_KEY_WITHIN_MS = 1200;

function isTyping(event: KeyboardEvent): boolean {
  // The editor is inside a shadow root: the event's target is only its host.
  const at = event.composedPath()[0];
  return at instanceof HTMLElement && (at.isContentEditable || at.matches("input:not([type=checkbox], [type=radio]), textarea, select"));
}

export function startKeys(clusterId: () => string | null): () => void {
  let firstAt = -Infinity;
  const onKey = (event: KeyboardEvent): void => {
    if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey) {
      event.preventDefault();
      openPalette();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event) || document.querySelector("dialog[open]") !== null) return;
    const isSecond = event.timeStamp - firstAt < SECOND_KEY_WITHIN_MS;
    firstAt = -Infinity;
    if (isSecond) {
      const screen = SCREENS.find((each) => each.shortcut === event.key);
      const cluster = clusterId();
      if (screen === undefined || cluster === null) return;
      event.preventDefault();
      navigate(build(screen.path, { cluster }));
    } else if (event.key === "g") {
      firstAt = event.timeStamp;
    } else if (event.key === "/") {
      event.preventDefault();
      const search = document.querySelector<HTMLInputElement>("main [data-search]");
      if (search === null) openPalette();
      else search.select();
    } else if (event.key === "?") {
      openKeys();
    }
  };
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}
