// Calls of the console's API. Whatever goes wrong becomes an ApiError with one sentence that can be shown as it is.
import { t } from "../i18n/text";
import type { Me } from "./me";
import { me } from "./me";

export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly code: number = status,
    /** Where in what was sent, counted from 1. */
    readonly position: number | null = null,
  ) {
    super(message);
  }
}

export type Query = Record<string, string | number | boolean | readonly string[] | null | undefined>;
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export const ROOT = "/api/v1";
export const CSRF_HEADER = "X-Riacho-Csrf";
const DEADLINE_MS = 30_000;

/** A path with its names escaped: path`/clusters/${id}/topics/${name}`. */
export function path(parts: TemplateStringsArray, ...names: (string | number)[]): string {
  return parts.reduce((text, part, index) => text + part + (index < names.length ? encodeURIComponent(String(names[index])) : ""), "");
}

export function address(path: string, query: Query = {}): string {
  const text = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => {
      if (value === null || value === undefined || value === "") return [];
      return typeof value === "object" ? value.map((each) => [name, each]) : [[name, String(value)]];
    }),
  ).toString();
  return ROOT + path + (text === "" ? "" : `?${text}`);
}

export async function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return (await call("GET", address(path, query), undefined, signal)) as T;
}

export interface SendOptions {
  /** Where the usual one is too short. */
  deadlineMs?: number;
  signal?: AbortSignal;
}

/** A change. The token of a server that has started again is asked for once more. */
export async function send<T = void>(method: Exclude<Method, "GET">, path: string, body?: unknown, query: Query = {}, { deadlineMs, signal }: SendOptions = {}): Promise<T> {
  const to = address(path, query);
  try {
    return (await call(method, to, body, signal, deadlineMs)) as T;
  } catch (error) {
    const before = me.get()?.csrf;
    if (!(error instanceof ApiError) || error.status !== 403) throw error;
    await loadMe();
    if (me.get()?.csrf === before) throw error;
    return (await call(method, to, body, signal, deadlineMs)) as T;
  }
}

export async function loadMe(): Promise<Me> {
  const answer = await get<Me>("/me");
  me.set(answer);
  return answer;
}

/** Whether an address can be had, whatever it answers, a file too; ApiError as of every call. */
export async function probe(to: string): Promise<void> {
  await (await answered("GET", to, undefined, undefined, DEADLINE_MS, "*/*")).arrayBuffer();
}

async function call(method: Method, to: string, body: unknown, signal?: AbortSignal, deadlineMs?: number): Promise<unknown> {
  const response = await answered(method, to, body, signal, deadlineMs);
  if (response.status === 204 || response.headers.get("Content-Length") === "0") return undefined;
  try {
    return await response.json();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(response.status, t("error.unreadable"));
  }
}

async function answered(method: Method, to: string, body: unknown, signal?: AbortSignal, deadlineMs = DEADLINE_MS, accept = "application/json"): Promise<Response> {
  const deadline = AbortSignal.timeout(deadlineMs);
  const headers: Record<string, string> = { Accept: accept };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const token = me.get()?.csrf;
  if (method !== "GET" && token) headers[CSRF_HEADER] = token;
  let response: Response;
  try {
    response = await fetch(to, {
      method,
      headers,
      credentials: "same-origin",
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, deadline.aborted ? t("error.deadline") : t("error.unreachable"));
  }
  if (!response.ok) throw await errorOf(response);
  return response;
}

/** What the server says went wrong; 401 also shows the door. */
export async function errorOf(response: Response): Promise<ApiError> {
  if (response.status === 401) {
    const known = me.get();
    if (known !== null && known.role !== null) me.set({ ...known, role: null });
  }
  const told = (await response.json().catch(() => null)) as { message?: unknown; error_code?: unknown; position?: unknown } | null;
  const message = typeof told?.message === "string" && told.message !== "" ? told.message : t("error.status", { status: String(response.status) });
  const code = typeof told?.error_code === "number" ? told.error_code : response.status;
  return new ApiError(response.status, message, code, typeof told?.position === "number" ? told.position : null);
}

export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
