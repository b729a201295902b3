// What lies over a page: the navigation on small screens, the command palette, the help on keys.
import { store } from "../store";

export const isNavOpen = store(false);
export const over = store<"palette" | "keys" | null>(null);

export function openNav(): void {
  isNavOpen.set(true);
}

export function openPalette(): void {
  ahead = "";
  over.set("palette");
}

// The palette's code may still be on its way: what is typed meanwhile is for it.
let ahead = "";

export function typeAhead(text: string): void {
  ahead += text;
}

export function typedAhead(): string {
  return ahead;
}

export function openKeys(): void {
  over.set("keys");
}
