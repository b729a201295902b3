// Server-sent events over fetch, which unlike EventSource tells why a stream was refused. Comes back by itself, slower each time.
import { ApiError, CSRF_HEADER, errorOf, loadMe } from "./client";
import { me } from "./me";

export interface StreamEvent {
  name: string;
  data: string;
  id: string | null;
}

/** Bytes in, events out; as https://html.spec.whatwg.org/#event-stream-interpretation says. */
export class SseParser {
  private rest = "";
  private name = "";
  private data: string[] = [];
  private id: string | null = null;
  private isFirst = true;
  retryMs: number | null = null;

  push(text: string): StreamEvent[] {
    if (this.isFirst && text !== "") {
      this.isFirst = false;
      if (text.startsWith("\ufeff")) text = text.slice(1);
    }
    // A \r at the end may be half of a \r\n.
    const whole = this.rest + text;
    const isOpen = whole.endsWith("\r");
    const lines = (isOpen ? whole.slice(0, -1) : whole).split(/\r\n|\n|\r/);
    this.rest = (lines.pop() ?? "") + (isOpen ? "\r" : "");
    return lines.flatMap((line) => this.line(line));
  }

  private line(line: string): StreamEvent[] {
    if (line === "") return this.finish();
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.name = value;
    else if (field === "data") this.data.push(value);
    else if (field === "id" && !value.includes("\0")) this.id = value;
    else if (field === "retry" && /^\d+$/.test(value)) this.retryMs = Number(value);
    return [];
  }

  private finish(): StreamEvent[] {
    const { name, data } = this;
    this.name = "";
    this.data = [];
    return data.length === 0 ? [] : [{ name: name === "" ? "message" : name, data: data.join("\n"), id: this.id }];
  }
}

export const RETRY_MS = { first: 500, most: 15_000 };

/** How long to wait before try number `attempt` (0 is the first again), spread so that many tabs do not come at once. */
export function backOffMs(attempt: number, chance: number): number {
  const most = Math.min(RETRY_MS.most, RETRY_MS.first * 2 ** Math.min(attempt, 10));
  return Math.round(most / 2 + (most / 2) * chance);
}

export type StreamState = "connecting" | "open" | "waiting" | "ended";

export interface StreamOptions {
  onEvent(name: string, data: unknown): void;
  onState?(state: StreamState): void;
  /** It was refused, and asking again would not help. */
  onRefused?(error: ApiError): void;
  /** Streams that end by themselves (a scan) must not start again. */
  once?: boolean;
  /** What does not fit into a URL: it is posted. */
  body?: unknown;
}

/** Open a stream; the answer closes it. */
export function openStream(url: string, options: StreamOptions): () => void {
  const stop = new AbortController();
  void follow(url, options, stop.signal);
  return () => stop.abort();
}

async function follow(url: string, options: StreamOptions, signal: AbortSignal): Promise<void> {
  let attempt = 0;
  let lastId: string | null = null;
  let isRenewed = false;
  while (!signal.aborted) {
    options.onState?.("connecting");
    let retryMs: number | null = null;
    try {
      const headers: Record<string, string> = { Accept: "text/event-stream" };
      if (lastId !== null) headers["Last-Event-ID"] = lastId;
      const response = await fetch(url, { ...posted(options.body, headers), credentials: "same-origin", cache: "no-store", signal });
      if (!response.ok || response.body === null) throw await errorOf(response);
      options.onState?.("open");
      const parser = new SseParser();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        for (const event of parser.push(read.value)) {
          attempt = 0;
          lastId = event.id;
          options.onEvent(event.name, parsed(event.data));
        }
        retryMs = parser.retryMs;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && error.status === 403 && options.body !== undefined && !isRenewed) {
        isRenewed = true;
        if (await hasNewToken()) continue;
      }
      if (error instanceof ApiError && (options.once || (error.status >= 400 && error.status < 500 && error.status !== 429))) {
        options.onState?.("ended");
        options.onRefused?.(error);
        return;
      }
    }
    if (signal.aborted) return;
    if (options.once) {
      options.onState?.("ended");
      return;
    }
    options.onState?.("waiting");
    await pause(retryMs ?? backOffMs(attempt, Math.random()), signal);
    attempt += 1;
  }
}

/** A server that has started again has another token for changes. */
async function hasNewToken(): Promise<boolean> {
  const before = me.get()?.csrf;
  try {
    return (await loadMe()).csrf !== before;
  } catch {
    return false;
  }
}

function posted(body: unknown, headers: Record<string, string>): RequestInit {
  if (body === undefined) return { headers };
  const token = me.get()?.csrf;
  return { method: "POST", body: JSON.stringify(body), headers: { ...headers, "Content-Type": "application/json", ...(token ? { [CSRF_HEADER]: token } : {}) } };
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return data;
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
}
