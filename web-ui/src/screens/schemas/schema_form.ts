// What is filled in for a new version of a schema.
import { type NewVersion, SCHEMA_TYPES, type SchemaReference, type SchemaType, type SchemaVersion } from "../../api/schemas";
import { pretty } from "./schema_text";

export interface ReferenceLine {
  name: string;
  subject: string;
  version: string;
}

export interface SchemaForm {
  subject: string;
  type: SchemaType;
  text: string;
  references: ReferenceLine[];
}

const STARTS: Record<SchemaType, string> = {
  AVRO: `{
  "type": "record",
  "name": "Order",
  "fields": [
    { "name": "id", "type": "string" },
    { "name": "total", "type": "double", "default": 0 }
  ]
}`,
  JSON: `{
  "type": "object",
  "title": "Order",
  "properties": {
    "id": { "type": "string" },
    "total": { "type": "number" }
  },
  "required": ["id"]
}`,
  PROTOBUF: `syntax = "proto3";

message Order {
  string id = 1;
  double total = 2;
}
`,
};

/** As the latest version is, else an example to begin with. */
export function startOf(subject: string, latest: SchemaVersion | null): SchemaForm {
  const type = SCHEMA_TYPES.find((each) => each === latest?.type) ?? "AVRO";
  if (latest === null) return { subject, type, text: STARTS[type], references: [] };
  return { subject, type, text: pretty(latest.schema, latest.type), references: latest.references.map((each) => ({ ...each, version: String(each.version) })) };
}

/** Another type: the example of it, unless something has been written. */
export function withType(form: SchemaForm, type: SchemaType): SchemaForm {
  const isUntouched = form.text.trim() === "" || form.text === STARTS[form.type];
  return { ...form, type, text: isUntouched ? STARTS[type] : form.text };
}

/** What is sent; null while it is not whole. A line with nothing in it counts as none. */
export function newVersion(form: SchemaForm): NewVersion | null {
  const lines = form.references.filter((each) => each.name !== "" || each.subject !== "" || each.version !== "");
  const references = lines.map((each): SchemaReference => ({ name: each.name, subject: each.subject, version: Number(each.version) }));
  const isWhole = lines.every((each) => each.name !== "" && each.subject !== "" && /^[1-9]\d{0,9}$/.test(each.version));
  return form.text.trim() === "" || !isSubjectName(form.subject) || !isWhole ? null : { schema: form.text, type: form.type, references };
}

export function isSubjectName(name: string): boolean {
  return name.trim() !== "" && name !== "." && name !== "..";
}

/** Whether it says something that the latest version does not. */
export function isChanged(form: SchemaForm, latest: SchemaVersion | null): boolean {
  if (latest === null) return true;
  const before = startOf(form.subject, latest);
  const said = (each: SchemaForm): string => JSON.stringify([each.type, pretty(each.text, each.type).trim(), newVersion(each)?.references ?? null]);
  return said(form) !== said(before);
}
