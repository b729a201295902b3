// A page of a list, as every list of the API answers.
export interface Page<T> {
  items: T[];
  total: number;
  page: number;
  page_size: number;
  as_of_ms: number;
  stale_reason: string | null;
}
