// Where in a statement the server saw an error: `line 2:14: …` of the parser, `Line: 1, Col: 8: …` of what comes after it.
export interface ErrorPlace {
  /** Counted from 1, in the statement as it was sent. */
  line: number;
  column: number;
}

export interface ToldError {
  /** Without the place, which counts from the statement's start and would mislead in a text of several. */
  message: string;
  place: ErrorPlace | null;
}

const FORMS = [/^line (\d+):(\d+): /, /^Line: (\d+), Col: (\d+): /i];
const TITLE = /^Syntax Error\n/;

export function toldError(message: string): ToldError {
  for (const form of FORMS) {
    const found = form.exec(message);
    if (found === null) continue;
    const [whole, line, column] = found;
    const rest = message.slice(whole.length).replace(TITLE, "");
    return { message: rest.replaceAll(` at line ${line}:${column}`, ""), place: { line: Number(line), column: Number(column) } };
  }
  return { message, place: null };
}

/** The characters that are meant, in a text in which the statement begins at `from`: a word, or one sign. */
export function rangeOf(text: string, from: number, { line, column }: ErrorPlace): { from: number; to: number } {
  let at = from;
  for (let left = line - 1; left > 0; left -= 1) {
    const end = text.indexOf("\n", at);
    if (end === -1) break;
    at = end + 1;
  }
  at = Math.min(at + column - 1, text.length);
  const word = /^[\p{L}\p{N}_]+/u.exec(text.slice(at, at + 200));
  const to = Math.min(text.length, at + (word?.[0].length ?? 1));
  // At the very end there is nothing to mark but the sign before it.
  return to > at ? { from: at, to } : { from: Math.max(0, at - 1), to: at };
}

/** Line and column in the whole text. */
export function lineOf(text: string, at: number): ErrorPlace {
  const before = text.slice(0, at).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
