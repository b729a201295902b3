// What lies over a page: the navigation on small screens, the command palette, the help on keys.
import { store } from "../store";

export const isNavOpen = store(false);
export const over = store<"palette" | "keys" | null>(null);

export function openNav(): void {
  isNavOpen.set(true);
}

export function openPalette(): void {
  over.set("palette");
}

export function openKeys(): void {
  over.set("keys");
}
