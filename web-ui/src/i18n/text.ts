// Texts by key. English is part of the first load and says which keys there are; other languages come when they are chosen.
import { keep, kept } from "../kept";
import { store, useStore } from "../store";
import { en } from "./en";

/** A text, or one for each form that a number may ask for. `{name}` is replaced. */
export type Entry = string | { one: string; other: string };
export type Key = keyof typeof en;
export type Catalogue = { readonly [key in Key]: Entry };
export type Values = Record<string, string | number>;
export type Language = "en" | "pt-BR";

export const LANGUAGES: readonly { id: Language; name: string }[] = [
  { id: "en", name: "English" },
  { id: "pt-BR", name: "Português (Brasil)" },
];

interface Chosen {
  language: Language;
  catalogue: Catalogue;
}

const chosen = store<Chosen>({ language: "en", catalogue: en });

export function render(entry: Entry, language: string, values: Values = {}): string {
  const form = typeof entry === "string" ? entry : entry[new Intl.PluralRules(language).select(Number(values["n"])) === "one" ? "one" : "other"];
  return form.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === "number" ? new Intl.NumberFormat(language).format(value) : value;
  });
}

export function t(key: Key, values?: Values): string {
  const { language, catalogue } = chosen.get();
  return render(catalogue[key], language, values);
}

export function language(): Language {
  return chosen.get().language;
}

/** Draws again when the language changes. */
export function useLanguage(): Language {
  return useStore(chosen).language;
}

export async function setLanguage(value: Language): Promise<void> {
  keep("language", value);
  await load(value);
}

export function preferredLanguage(wanted: string | null, browser: readonly string[]): Language {
  const first = [wanted, ...browser].find((each) => each?.startsWith("pt") || each?.startsWith("en"));
  return first?.startsWith("pt") ? "pt-BR" : "en";
}

export async function startLanguage(): Promise<void> {
  await load(preferredLanguage(kept("language"), navigator.languages));
}

async function load(value: Language): Promise<void> {
  const catalogue = value === "pt-BR" ? (await import("./pt-BR")).ptBR : en;
  document.documentElement.lang = value;
  chosen.set({ language: value, catalogue });
}
