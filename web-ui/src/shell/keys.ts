// Keys that work everywhere, as long as nobody is typing.
import { keep, kept } from "../kept";
import { build, navigate } from "../router";
import { SCREENS } from "../screens/table";
import { openKeys, openPalette, over, typeAhead } from "./doors";

const SECOND_KEY_WITHIN_MS = 1200;

function isTyping(event: KeyboardEvent): boolean {
  // The editor is inside a shadow root: the event's target is only its host.
  const at = event.composedPath()[0];
  return at instanceof HTMLElement && (at.isContentEditable || at.matches("input:not([type=checkbox], [type=radio]), textarea, select"));
}

/** Those who speak to their computer, or hit keys by mistake, can do without single letters (WCAG 2.1.4). */
export function areLettersOn(): boolean {
  return kept("letters") !== "off";
}

export function setLetters(isOn: boolean): void {
  keep("letters", isOn ? "on" : "off");
}

/** From row to row of the list in view, to what opens the row. */
function stepRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll("main tbody tr")].flatMap((row) => row.querySelector<HTMLElement>("a, button") ?? []);
  const at = rows.findIndex((each) => each.closest("tr") === document.activeElement?.closest("tr"));
  rows[at === -1 ? (step === 1 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + step))]?.focus();
}

/** What a screen offers by a letter says so itself: `data-key`, on a button or a link. */
function pressKey(event: KeyboardEvent): void {
  if (!/^[a-z]$/.test(event.key)) return;
  const offered = document.querySelector<HTMLElement>(`main [data-key="${event.key}"]`);
  if (offered === null || !offered.checkVisibility()) return;
  event.preventDefault();
  offered.click();
}

/** Those of the screen in view, with what they do. */
export function keysHere(): [string, string][] {
  return [...document.querySelectorAll<HTMLElement>("main [data-key]")].map((each) => [each.dataset["key"] ?? "", (each.getAttribute("aria-label") ?? each.textContent ?? "").trim()]);
}

export function startKeys(clusterId: () => string | null): () => void {
  let firstAt = -Infinity;
  const onKey = (event: KeyboardEvent): void => {
    if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey) {
      event.preventDefault();
      openPalette();
      return;
    }
    if (over.get() !== null && document.querySelector("dialog[open]") === null) {
      if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) {
        event.preventDefault();
        typeAhead(event.key);
      }
      return;
    }
    if (!areLettersOn() || event.ctrlKey || event.metaKey || event.altKey || isTyping(event) || document.querySelector("dialog[open]") !== null) return;
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
    } else if (event.key === "j" || event.key === "k") {
      event.preventDefault();
      stepRow(event.key === "j" ? 1 : -1);
    } else {
      pressKey(event);
    }
  };
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}
