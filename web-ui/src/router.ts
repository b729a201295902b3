// Where the user is: path and query of the URL, which hold all of a screen's state, so that a link shows what was seen.
import { store, useStore } from "./store";

export interface Place {
  path: string;
  query: URLSearchParams;
}

export type Params = Record<string, string>;
export type QueryChange = Record<string, string | number | boolean | null | undefined>;

/** The parameters of a path that follows `pattern`, else null. `:name` is one segment, `:name?` may be left out. */
export function match(pattern: string, path: string): Params | null {
  const wanted = segments(pattern);
  const given = segments(path);
  if (given.length > wanted.length) return null;
  const params: Params = {};
  for (const [index, part] of wanted.entries()) {
    const text = given[index];
    if (!part.startsWith(":")) {
      if (text !== part) return null;
      continue;
    }
    const isOptional = part.endsWith("?");
    if (text === undefined) {
      if (isOptional) continue;
      return null;
    }
    const decoded = decodedSegment(text);
    if (decoded === null) return null;
    params[part.slice(1, isOptional ? -1 : undefined)] = decoded;
  }
  return params;
}

/** The path of a pattern with its parameters; names may hold anything, slashes too. */
export function build(pattern: string, params: Params, query: QueryChange = {}): string {
  const parts = segments(pattern).flatMap((part) => {
    if (!part.startsWith(":")) return [part];
    const isOptional = part.endsWith("?");
    const value = params[part.slice(1, isOptional ? -1 : undefined)];
    if (value === undefined) {
      if (isOptional) return [];
      throw new Error(`the path ${pattern} needs ${part.slice(1)}`);
    }
    return [encodeURIComponent(value)];
  });
  return `/${parts.join("/")}${search(changed(new URLSearchParams(), query))}`;
}

/** The query with changes: null, undefined, false and "" take a name out. Names are sorted, so that equal states are equal URLs. */
export function changed(query: URLSearchParams, change: QueryChange): URLSearchParams {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(change)) {
    if (value === null || value === undefined || value === false || value === "") next.delete(name);
    else next.set(name, String(value));
  }
  next.sort();
  return next;
}

export function parse(url: string): Place {
  const at = new URL(url, "http://console");
  return { path: at.pathname, query: at.searchParams };
}

function segments(path: string): string[] {
  return path.split("/").filter((part) => part !== "");
}

function decodedSegment(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function search(query: URLSearchParams): string {
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

const place = store<Place>({ path: "/", query: new URLSearchParams() });

export function usePlace(): Place {
  return useStore(place);
}

export function currentPlace(): Place {
  return place.get();
}

export function navigate(to: string, how: { replace?: boolean } = {}): void {
  const here = location.pathname + location.search;
  if (to !== here) history[how.replace ? "replaceState" : "pushState"](null, "", to);
  place.set(parse(location.href));
}

/** Change the query of this screen. Typing replaces the entry in the history, a decision makes a new one. */
export function setQuery(change: QueryChange, how: { replace?: boolean } = {}): void {
  const { path, query } = place.get();
  navigate(path + search(changed(query, change)), how);
}

/** Follow the browser's buttons and every link to a place of the console. */
export function startRouter(): void {
  place.set(parse(location.href));
  addEventListener("popstate", () => place.set(parse(location.href)));
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
    // Links of a drawing too, which are no HTMLAnchorElement.
    const href = link?.getAttribute("href") ?? "";
    if (link === null || href.startsWith("#") || link.hasAttribute("target") || link.hasAttribute("download")) return;
    const to = new URL(href, location.href);
    if (to.origin !== location.origin || to.pathname.startsWith("/api/")) return;
    event.preventDefault();
    navigate(to.pathname + to.search);
  });
}
