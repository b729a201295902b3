// Rows as CSV (RFC 4180). A cell that a spreadsheet would run as a formula is made a text; a number is none. The server's
// files of messages go by the same rule (console/messages/export.py).
export type CsvValue = string | number | boolean | null | undefined;

const RUNS = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const NUMBER = /^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;
/** Where a list is separated by semicolons or tabs, what follows one of them would be a cell of its own. */
const QUOTED = /[",;\t\r\n]/;

function cell(value: CsvValue): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "string" && RUNS.test(value) && !NUMBER.test(value) ? `'${value}` : String(value);
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csv(rows: readonly (readonly CsvValue[])[]): string {
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
