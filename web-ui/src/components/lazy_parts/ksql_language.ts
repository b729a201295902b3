// The language of KSQL for the editor: its words, and what is offered while typing.
import { type Completion, completeFromList, ifNotIn } from "@codemirror/autocomplete";
import { SQLDialect, sql } from "@codemirror/lang-sql";
import type { Extension } from "@codemirror/state";
import type { CodeWord } from "../CodeEditor";

const KEYWORDS =
  "add advance all alter and as asc assert beginning between by case cast changes column connector connectors create define delete desc describe distinct drop else emit end escape exists explain extended final from full function functions grace group having header headers hopping if in inner insert into is join key left like limit list not null on or outer partition pause period plugins primary print properties queries query replace resume retention right run sample schema script select session set show sink size source stream streams subject system table tables terminate then timeout topic topics tumbling type types undefine unset values variables when where window with within millisecond milliseconds second seconds minute minutes hour hours day days";
const TYPES = "boolean int integer bigint double decimal string varchar bytes time date timestamp array map struct";
const KINDS: Record<CodeWord["kind"], string> = { function: "function", source: "class", column: "property" };

const KSQL = SQLDialect.define({ keywords: KEYWORDS, types: TYPES, builtin: "rowtime rowpartition rowoffset windowstart windowend", identifierQuotes: '`"', doubleQuotedStrings: false });

export function ksql(words: readonly (string | CodeWord)[]): Extension {
  const support = sql({ dialect: KSQL, upperCaseKeywords: true });
  const offered = ifNotIn(["String", "LineComment", "BlockComment"], completeFromList(words.map(completion)));
  return [support, support.language.data.of({ autocomplete: offered })];
}

function completion(word: string | CodeWord): Completion {
  if (typeof word === "string") return { label: word, type: "variable" };
  const detail = word.detail === undefined ? {} : { detail: word.detail };
  // Columns of what is read come before functions, and those before the language's words.
  return { label: word.label, type: KINDS[word.kind], boost: word.kind === "column" ? 20 : word.kind === "source" ? 10 : 5, ...detail };
}
