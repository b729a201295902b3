// A place to write SQL, JSON, Protobuf or plain text in. The editor's code comes with the first one.
import { lazy } from "./lazy";

/** A word that is offered while typing. */
export interface CodeWord {
  label: string;
  kind: "function" | "source" | "column";
  /** Behind it: its type, what it is. */
  detail?: string;
}

export interface CodeRange {
  from: number;
  to: number;
}

export interface CodeEditorProps {
  label: string;
  value: string;
  language: "sql" | "json" | "protobuf" | "text";
  onChange?(value: string): void;
  /** Ctrl Enter. */
  onRun?(value: string, selection: CodeRange): void;
  onSelect?(selection: CodeRange): void;
  isReadOnly?: boolean;
  /** Columns, streams, tables, functions. */
  words?: readonly (string | CodeWord)[];
  /** Lines that are there at least. */
  lines?: number;
  /** Takes the height of what is around it. */
  isFilled?: boolean;
  /** What is wrong, marked until the text changes. */
  wrong?: (CodeRange & { message: string }) | null;
  /** Lines that are marked as one: what would be run. */
  meant?: CodeRange | null;
  /** Goes there with every new one. */
  goTo?: CodeRange | null;
}

export const CodeEditor = lazy<CodeEditorProps>(() => import("./lazy_parts/CodeMirrorEditor"));
