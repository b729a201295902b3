// Light, dark, or as the system has it.
import { keep, kept } from "./kept";
import { store } from "./store";

export type Theme = "auto" | "light" | "dark";
export const THEMES: readonly Theme[] = ["auto", "light", "dark"];

function chosen(): Theme {
  const value = kept("theme");
  return value === "light" || value === "dark" ? value : "auto";
}

export const theme = store<Theme>(chosen());

export function setTheme(value: Theme): void {
  keep("theme", value === "auto" ? null : value);
  document.documentElement.dataset["theme"] = value;
  theme.set(value);
}

/** The colour of a token as it is drawn now, for canvases, which know no variables. */
export function drawnColor(element: Element, token: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${token})`;
  element.append(probe);
  const color = getComputedStyle(probe).color;
  probe.remove();
  return color;
}

/** Called when colours may have changed: by the user here, or by the system. */
export function watchColors(listener: () => void): () => void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", listener);
  const stop = theme.watch(listener);
  return () => {
    system.removeEventListener("change", listener);
    stop();
  };
}
