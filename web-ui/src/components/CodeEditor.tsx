// A place to write SQL, JSON, Protobuf or plain text in. The editor's code comes with the first one.
import { lazy } from "./lazy";

export interface CodeEditorProps {
  label: string;
  value: string;
  language: "sql" | "json" | "protobuf" | "text";
  onChange?(value: string): void;
  /** Ctrl Enter. */
  onRun?(value: string): void;
  isReadOnly?: boolean;
  /** Words that are offered while typing: columns, streams, tables. */
  words?: readonly string[];
  /** Lines that are there at least. */
  lines?: number;
}

export const CodeEditor = lazy<CodeEditorProps>(() => import("./lazy_parts/CodeMirrorEditor"));
