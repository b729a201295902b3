// Commands that do what a button does, to be pasted into a shell.
import { CSRF_HEADER, type Method } from "../api/client";
import type { Me } from "../api/me";

export function quoted(text: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

export function command(...words: string[]): string {
  return words.map(quoted).join(" ");
}

/** The token goes in only where nobody logs in and it opens nothing; else curl asks for the password. */
export function curl(method: Method, url: string, body: unknown, who: Pick<Me, "login" | "name" | "csrf"> | null): string {
  const words = ["curl"];
  if (method !== "GET") words.push("-X", method);
  if (who !== null && who.login !== "none") words.push("-u", who.name ?? "NAME");
  else if (method !== "GET" && who?.csrf) words.push("-H", `${CSRF_HEADER}: ${who.csrf}`);
  if (body !== undefined) words.push("-H", "Content-Type: application/json", "-d", JSON.stringify(body));
  return command(...words, url);
}
