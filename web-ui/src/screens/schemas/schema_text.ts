// A schema's text for the eye.
import type { CodeEditorProps } from "../../components/CodeEditor";
import { parseJson, writeJson } from "../../format/json_text";

const WIDTH = 100;

/** A field a line where it fits, so that what two versions differ in are fields. Protobuf has lines of its own. */
export function pretty(text: string, type: string): string {
  const tree = type === "PROTOBUF" ? null : parseJson(text);
  return tree === null ? text : writeJson(tree, "", WIDTH);
}

export function languageOf(type: string): CodeEditorProps["language"] {
  return type === "PROTOBUF" ? "protobuf" : type === "AVRO" || type === "JSON" ? "json" : "text";
}
