// Commands that do what a button does, to be pasted into a shell.
import { CSRF_HEADER, type Method } from "../api/client";
import type { Me } from "../api/me";
import { t } from "../i18n/text";

export function quoted(text: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

export function command(...words: string[]): string {
  return words.map(quoted).join(" ");
}

export type Caller = Pick<Me, "login" | "name" | "csrf">;

/** No secret goes in: a password is asked for by curl, a session's cookie stands in the shell's own variable. The token is
 * written only where nobody logs in and it opens nothing. */
export function curl(method: Method, url: string, body: unknown, who: Caller | null, file?: string): string {
  const isChange = method !== "GET";
  return [
    "curl",
    // What is refused is no file.
    ...(file === undefined ? [] : ["-f", "-o", quoted(file)]),
    ...(isChange ? ["-X", method] : []),
    ...(who === null ? [] : doorWords(isChange, new URL(url).origin, who)),
    ...(body === undefined ? [] : ["-H", quoted("Content-Type: application/json"), "-d", quoted(JSON.stringify(body))]),
    quoted(url),
  ].join(" ");
}

function doorWords(isChange: boolean, origin: string, who: Caller): string[] {
  if (who.login === "local") return ["-u", quoted(who.name ?? "NAME")];
  if (who.login === "oidc") return sessionWords(isChange, origin);
  return isChange && who.csrf ? ["-H", quoted(`${CSRF_HEADER}: ${who.csrf}`)] : [];
}

/** Who came by an identity provider has no password here, so that the browser's session is all there is: a shell that does
 * not have it says where it stands and runs nothing. */
function sessionWords(isChange: boolean, origin: string): string[] {
  const words = ["-b", `"\${RIACHO_COOKIE:?${t("copy.session_hint")}}"`];
  if (!isChange) return words;
  const asked = `curl -s -b "$RIACHO_COOKIE" ${quoted(`${origin}/api/v1/me`)} | sed -n 's/.*"csrf":"\\([^"]*\\)".*/\\1/p'`;
  return [...words, "-H", `"${CSRF_HEADER}: $(${asked})"`];
}
