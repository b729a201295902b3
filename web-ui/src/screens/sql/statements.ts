// SQL as far as the page looks into it: where statements begin and end, which one is meant, what it begins with.
export interface Statement {
  text: string;
  /** Of its first character, and behind its last. */
  from: number;
  to: number;
  /** Where what belongs to it begins: comments and blank lines above it do. */
  begin: number;
  /** In upper case, without what is quoted. */
  words: readonly string[];
}

const TOKEN = /(?<blank>\s+|--[^\n]*|\/\*[^]*?\*\/)|(?<quoted>'[^']*(?:''[^']*)*'|`[^`]*(?:``[^`]*)*`|"[^"]*(?:""[^"]*)*")|(?<word>[\p{L}\p{N}_]+)|(?<end>;)|(?<open>['"`]|\/\*)|(?<other>[^])/gu;
const ROWS: ReadonlySet<string> = new Set(["SELECT", "PRINT", "WITH"]);

/** Places are counted from `base`, for a text that is a part of another. */
export function statementsOf(text: string, base = 0): Statement[] {
  const found: Statement[] = [];
  let begin = 0;
  let from = -1;
  let to = 0;
  let words: string[] = [];
  const close = (): void => {
    if (from !== -1) found.push({ text: text.slice(from, to), from: base + from, to: base + to, begin: base + begin, words });
    begin = to;
    from = -1;
    words = [];
  };
  for (const token of text.matchAll(TOKEN)) {
    const { blank, word, end, open } = token.groups ?? {};
    if (blank !== undefined) continue;
    if (end !== undefined && from === -1) {
      begin = token.index + 1;
      continue;
    }
    if (from === -1) from = token.index;
    to = token.index + token[0].length;
    if (word !== undefined) words.push(word.toUpperCase());
    else if (end !== undefined) close();
    else if (open !== undefined) {
      // It is never closed: the server says so of all that follows.
      to = text.trimEnd().length;
      break;
    }
  }
  close();
  return found;
}

/** Names are as they are meant: without their quotes. */
export function wordsOf(text: string): string[] {
  return [...text.matchAll(TOKEN)].flatMap(({ groups }) => groups?.["word"] ?? unquoted(groups?.["quoted"]) ?? []);
}

function unquoted(text: string | undefined): string | undefined {
  const quote = text?.[0];
  return quote === undefined ? undefined : text?.slice(1, -1).replaceAll(quote + quote, quote);
}

/** The one under the cursor: behind the end of its line it is still meant, below that the next one is. */
export function statementAt(text: string, at: number): Statement | null {
  const all = statementsOf(text);
  const next = all.findIndex((each) => at <= each.to);
  const before = all.at(next === -1 ? -1 : next - 1);
  const meant = all[next];
  if (meant === undefined) return before ?? null;
  const isBehind = next > 0 && before !== undefined && at < meant.from && !text.slice(before.to, at).includes("\n");
  return isBehind ? before : meant;
}

/** What is run: the statements of what is marked, else the one under the cursor. */
export function meantStatements(text: string, from: number, to: number): Statement[] {
  if (from !== to) return statementsOf(text.slice(from, to), from);
  const one = statementAt(text, from);
  return one === null ? [] : [one];
}

export function answersRows({ words }: Pick<Statement, "words">): boolean {
  return ROWS.has(words[0] ?? "");
}

export function isPrint({ words }: Pick<Statement, "words">): boolean {
  return words[0] === "PRINT";
}

/** Whether its rows go on for as long as somebody looks. */
export function isPush({ words }: Pick<Statement, "words">): boolean {
  return words[0] === "PRINT" || words.some((word, at) => word === "EMIT" && (words[at + 1] === "CHANGES" || words[at + 1] === "FINAL"));
}

const LITERAL = "'((?:[^']|'')*)'";
const SET = new RegExp(`^SET\\s+${LITERAL}\\s*=\\s*${LITERAL}\\s*;?$`, "i");
const UNSET = new RegExp(`^UNSET\\s+${LITERAL}\\s*;?$`, "i");

export type Properties = Readonly<Record<string, string>>;

/** The session is the page's: what SET and UNSET change is sent along from then on. */
export function afterStatement(properties: Properties, { text }: Pick<Statement, "text">): Properties {
  const literal = (quoted: string | undefined): string => (quoted ?? "").replaceAll("''", "'");
  const set = SET.exec(text);
  if (set !== null) return { ...properties, [literal(set[1])]: literal(set[2]) };
  const unset = UNSET.exec(text);
  if (unset === null) return properties;
  return Object.fromEntries(Object.entries(properties).filter(([name]) => name !== literal(unset[1])));
}

/** A statement below what is there already; as it is where it is there. */
export function withStatement(text: string, sql: string): { text: string; from: number; to: number } {
  const known = statementsOf(text).find((each) => each.text === sql.trim());
  if (known !== undefined) return { text, from: known.from, to: known.to };
  const before = text.trimEnd();
  // What was not finished would run into it.
  const isOpen = before !== "" && statementsOf(before).at(-1)?.text.endsWith(";") === false;
  const start = before === "" ? "" : `${before}${isOpen ? "\n;" : ""}\n\n`;
  return { text: `${start}${sql.trim()}\n`, from: start.length, to: start.length + sql.trim().length };
}

/** A name as a statement writes it: quoted where it would mean another one. */
export function identifier(name: string): string {
  return /^[A-Z_][A-Z0-9_]*$/.test(name) ? name : `\`${name.replaceAll("`", "``")}\``;
}
