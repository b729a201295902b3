// Colours for Protobuf, word by word: enough to read a schema by.
import { StreamLanguage, type StringStream } from "@codemirror/language";

const KEYWORDS = /^(?:syntax|edition|package|import|public|weak|option|message|enum|service|rpc|returns|stream|oneof|map|repeated|optional|required|reserved|extensions|extend|to|max|group)$/;
const TYPES = /^(?:double|float|u?int(?:32|64)|sint(?:32|64)|s?fixed(?:32|64)|bool|string|bytes)$/;

interface State {
  isInComment: boolean;
}

export const protobuf = StreamLanguage.define<State>({
  name: "protobuf",
  startState: () => ({ isInComment: false }),
  token: (stream, state) => token(stream, state),
  languageData: { commentTokens: { line: "//", block: { open: "/*", close: "*/" } }, closeBrackets: { brackets: ["(", "[", "{", '"', "'"] } },
});

/** The name of the next token's kind, null for what has no colour. */
export function token(stream: StringStream, state: State): string | null {
  if (state.isInComment || stream.match("/*")) {
    state.isInComment = !stream.match(/^.*?\*\//);
    if (state.isInComment) stream.skipToEnd();
    return "comment";
  }
  if (stream.eatSpace()) return null;
  if (stream.match(/^\/\/.*/)) return "comment";
  if (stream.match(/^(?:"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)/)) return "string";
  if (stream.match(/^-?(?:0[xX][\da-fA-F]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/)) return "number";
  const word = stream.match(/^[A-Za-z_][\w.]*/) as RegExpMatchArray | null;
  if (word === null) {
    stream.next();
    return null;
  }
  if (/^(?:true|false)$/.test(word[0])) return "bool";
  return KEYWORDS.test(word[0]) ? "keyword" : TYPES.test(word[0]) ? "typeName" : null;
}
