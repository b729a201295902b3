// The state of a list, in the URL: what is searched, the order, the page.
import { setQuery, usePlace } from "../router";

export interface ListState {
  q: string;
  sort: string;
  page: number;
  setSearch(text: string): void;
  setSort(sort: string): void;
  setPage(page: number): void;
}

export const PAGE_SIZE = 100;

export function useListState(usualSort: string): ListState {
  const { query } = usePlace();
  const page = Number(query.get("page") ?? 1);
  return {
    q: query.get("q") ?? "",
    sort: query.get("sort") ?? usualSort,
    page: Number.isInteger(page) && page > 0 ? page : 1,
    setSearch: (q) => setQuery({ q, page: null }, { replace: true }),
    setSort: (sort) => setQuery({ sort: sort === usualSort ? null : sort, page: null }, { replace: true }),
    setPage: (next) => setQuery({ page: next === 1 ? null : next }),
  };
}

/** A switch of the screen that is in the URL only when it is on. */
export function useFlag(name: string): [boolean, (value: boolean) => void] {
  const { query } = usePlace();
  return [query.get(name) === "true", (value) => setQuery({ [name]: value, page: null }, { replace: true })];
}
