// CodeMirror in a shadow root: there its styles are adopted sheets, which need no hole in the Content-Security-Policy.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "preact/hooks";
import type { CodeEditorProps } from "../CodeEditor";
import "./editor.css";
import { editorMarks, setMeant, setWrong } from "./editor_marks";
import { ksql } from "./ksql_language";
import { protobuf } from "./protobuf_language";

const COLORS = HighlightStyle.define([
  { tag: [tags.keyword, tags.bool, tags.null], color: "var(--code-word)" },
  { tag: [tags.string], color: "var(--code-text)" },
  { tag: [tags.number], color: "var(--code-number)" },
  { tag: [tags.propertyName, tags.typeName], color: "var(--code-name)" },
  { tag: [tags.comment], color: "var(--text-soft)", fontStyle: "italic" },
]);

const LOOK = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--surface)", fontSize: "12px", height: "100%" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "20px" },
  ".cm-content": { caretColor: "var(--accent)", padding: "8px 0" },
  ".cm-cursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "2px" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--text-soft)", border: "none" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--hover) 60%, transparent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { background: "var(--accent-wash)" },
  ".cm-tooltip, .cm-panels": { backgroundColor: "var(--raised)", color: "var(--text)", border: "1px solid var(--line)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--selected)", color: "var(--text)" },
  ".cm-tooltip-autocomplete > ul > li": { padding: "2px 8px" },
  ".cm-completionDetail": { color: "var(--text-soft)", fontStyle: "normal", marginLeft: "12px" },
  ".cm-completionIcon": { display: "none" },
  ".cm-wrong": { backgroundColor: "var(--bad-wash)", textDecoration: "underline wavy var(--bad)", textUnderlineOffset: "3px" },
  ".cm-gutterElement.cm-meant": { color: "var(--accent-strong)", boxShadow: "inset 2px 0 var(--accent)" },
  ".cm-matchingBracket": { outline: "1px solid var(--accent)", backgroundColor: "transparent !important" },
});

const TOLD_MAX = 100;

/** Chromium would keep the look of what is replaced as an inline style, which the policy refuses with an error in the console. */
const replacing = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { from, to, empty } = view.state.selection.main;
    const text = event.data;
    if (event.inputType !== "insertText" || text === null || empty || view.composing || !event.cancelable || view.state.readOnly) return false;
    const insert = () => view.state.update({ changes: { from, to, insert: text }, selection: { anchor: from + text.length }, userEvent: "input.type", scrollIntoView: true });
    if (!view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, text, insert))) view.dispatch(insert());
    event.preventDefault();
    return true;
  },
});

export default function CodeMirrorEditor(props: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const last = useRef(props);
  last.current = props;
  // Told, and not come back yet: under load the value that comes back is older than the text, and is not to replace it.
  const told = useRef<string[]>([]);
  const parts = useRef({ language: new Compartment(), mode: new Compartment() });

  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    const { language, mode } = parts.current;
    const run = (): boolean => {
      const { onRun } = last.current;
      if (onRun === undefined) return false;
      const state = view.current?.state;
      if (state !== undefined) onRun(state.doc.toString(), { from: state.selection.main.from, to: state.selection.main.to });
      return true;
    };
    view.current = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: last.current.value,
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          indentOnInput(),
          closeBrackets(),
          autocompletion(),
          highlightSelectionMatches(),
          syntaxHighlighting(COLORS),
          editorMarks,
          replacing,
          LOOK,
          // Tab leaves the editor, so that the keyboard is not caught in it.
          keymap.of([{ key: "Mod-Enter", run }, ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...completionKeymap]),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ "aria-label": last.current.label }),
          language.of(languageOf(last.current)),
          mode.of(modeOf(last.current)),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) {
              const text = update.state.doc.toString();
              told.current = [...told.current, text].slice(-TOLD_MAX);
              last.current.onChange?.(text);
            }
            if (update.selectionSet || update.docChanged) last.current.onSelect?.({ from: update.state.selection.main.from, to: update.state.selection.main.to });
          }),
        ],
      }),
    });
    return () => {
      view.current?.destroy();
      view.current = null;
    };
  }, []);
  useEffect(() => {
    view.current?.dispatch({ effects: parts.current.language.reconfigure(languageOf(props)) });
  }, [props.language, props.words]);
  useEffect(() => {
    view.current?.dispatch({ effects: parts.current.mode.reconfigure(modeOf(props)) });
  }, [props.isReadOnly]);
  useEffect(() => {
    const place = told.current.indexOf(props.value);
    told.current = told.current.slice(place + 1);
    if (place !== -1) return;
    const now = view.current?.state.doc.toString();
    if (now !== undefined && now !== props.value) view.current?.dispatch({ changes: { from: 0, to: now.length, insert: props.value } });
  }, [props.value]);
  useEffect(() => {
    view.current?.dispatch({ effects: setWrong.of(props.wrong ?? null) });
  }, [props.wrong]);
  useEffect(() => {
    view.current?.dispatch({ effects: setMeant.of(props.meant ?? null) });
  }, [props.meant?.from, props.meant?.to]);
  useEffect(() => {
    const editor = view.current;
    if (editor === null || props.goTo === null || props.goTo === undefined) return;
    const end = Math.min(props.goTo.to, editor.state.doc.length);
    const anchor = Math.min(props.goTo.from, end);
    editor.dispatch({ selection: { anchor, head: end }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
    editor.focus();
  }, [props.goTo]);
  return <div ref={host} class={`editor${props.isFilled ? " filled" : ""}`} style={props.isFilled ? {} : { "min-height": `${(props.lines ?? 6) * 20 + 18}px` }} />;
}

/** What is only read has no line that is being written. */
function modeOf({ isReadOnly = false }: CodeEditorProps): Extension {
  return isReadOnly ? EditorState.readOnly.of(true) : [bracketMatching(), highlightActiveLine()];
}

function languageOf({ language, words = [] }: CodeEditorProps): Extension {
  if (language === "json") return json();
  if (language === "protobuf") return protobuf;
  if (language !== "sql") return [];
  return ksql(words);
}
