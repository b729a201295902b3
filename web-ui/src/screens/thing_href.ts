// The page of a thing, where this console has one.
import { type Params, build, match, type QueryChange } from "../router";
import { SCREENS } from "./table";

export function thingHref(pattern: string, params: Params, query: QueryChange = {}): string | undefined {
  const href = build(pattern, params, query);
  const path = href.split("?")[0] ?? href;
  return SCREENS.some((screen) => match(screen.path, path) !== null) ? href : undefined;
}
