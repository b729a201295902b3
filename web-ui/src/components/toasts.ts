// What happened, told for a few seconds, with a way back where there is one.
import { store } from "../store";
import type { Status } from "./StatusMark";

export interface Toast {
  id: number;
  text: string;
  status: Status;
  undo: (() => void | Promise<void>) | null;
}

const TOASTS_MAX = 4;
const SHOWN_MS = 6000;
const SHOWN_WITH_UNDO_MS = 15_000;
let last = 0;

export const toasts = store<readonly Toast[]>([]);

export function toast(told: { text: string; status?: Status; undo?: () => void | Promise<void> }): void {
  last += 1;
  const id = last;
  const next: Toast = { id, text: told.text, status: told.status ?? "good", undo: told.undo ?? null };
  toasts.set([...toasts.get(), next].slice(-TOASTS_MAX));
  // What went wrong stays until it is read.
  if (next.status !== "bad") setTimeout(() => dismiss(id), next.undo === null ? SHOWN_MS : SHOWN_WITH_UNDO_MS);
}

export function dismiss(id: number): void {
  toasts.set(toasts.get().filter((each) => each.id !== id));
}
