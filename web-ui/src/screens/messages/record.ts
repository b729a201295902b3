// A message to write: as the form holds it, and as the API takes it.
import { hasSchema, isMasked, type Message, type NewRecord, WRITTEN_FORMATS } from "../../api/messages";
import { parseJson, writeJson } from "../../format/json_text";

export interface RecordForm {
  hasKey: boolean;
  key: string;
  keyFormat: string;
  keySchemaId: string;
  isTombstone: boolean;
  value: string;
  valueFormat: string;
  valueSchemaId: string;
  headers: [string, string][];
  /** "": the key decides. */
  partition: string;
}

export const EMPTY_FORM: RecordForm = {
  hasKey: true,
  key: "",
  keyFormat: "text",
  keySchemaId: "",
  isTombstone: false,
  value: "",
  valueFormat: "json",
  valueSchemaId: "",
  headers: [],
  partition: "",
};

const writable = (format: string): string => ((WRITTEN_FORMATS as readonly string[]).includes(format) ? format : "text");

/** What is hidden cannot be sent on: the mask would be written in its place. */
export function isHidden(message: Message): boolean {
  return isMasked(message.key) || isMasked(message.value) || message.headers.some(([, text]) => isMasked(text));
}

export function formOf(message: Message): RecordForm {
  const valueFormat = message.value === null ? "json" : writable(message.value_decoded.format);
  const tree = valueFormat === "text" || message.value === null ? null : parseJson(message.value);
  return {
    hasKey: message.key !== null,
    key: message.key ?? "",
    keyFormat: message.key === null ? "text" : writable(message.key_decoded.format),
    keySchemaId: String(message.key_decoded.schema_id ?? ""),
    isTombstone: message.value === null,
    value: tree === null || (tree.kind !== "object" && tree.kind !== "array") ? (message.value ?? "") : writeJson(tree),
    valueFormat,
    valueSchemaId: String(message.value_decoded.schema_id ?? ""),
    headers: message.headers.map(([name, text]) => [name, text ?? ""]),
    partition: "",
  };
}

export function recordOf(form: RecordForm): NewRecord {
  const schemaId = (format: string, text: string): number | null => (hasSchema(format) && /^\d+$/.test(text) ? Number(text) : null);
  return {
    key: form.hasKey ? form.key : null,
    value: form.isTombstone ? null : form.value,
    headers: form.headers.filter(([name]) => name !== ""),
    partition: form.partition === "" ? null : Number(form.partition),
    key_format: form.keyFormat,
    value_format: form.valueFormat,
    key_schema_id: form.hasKey ? schemaId(form.keyFormat, form.keySchemaId) : null,
    value_schema_id: form.isTombstone ? null : schemaId(form.valueFormat, form.valueSchemaId),
  };
}

/** Whether the server gave the bytes themselves: where anything is hidden it does not. */
export function isRaw(asHex: Message): boolean {
  const isHex = (format: string): boolean => format === "hex" || format === "null";
  return isHex(asHex.key_decoded.format) && isHex(asHex.value_decoded.format) && !isHidden(asHex);
}

const CONNECT_ERRORS = "__connect.errors.";

/** Where a dead letter comes from, as Connect says in its headers; null of any other message. */
export function originOf(message: Pick<Message, "headers">): string | null {
  return message.headers.findLast(([name]) => name === `${CONNECT_ERRORS}topic`)?.[1] ?? null;
}

/** What is wrong with a text that should be JSON, before it is sent. */
export function isJsonWrong(form: RecordForm): boolean {
  const needs = form.valueFormat === "json" || form.valueFormat === "msgpack" || hasSchema(form.valueFormat);
  return !form.isTombstone && needs && form.value.trim() !== "" && parseJson(form.value) === null;
}
