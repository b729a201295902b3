// What is marked in a text: what is wrong, until it changes; and the lines that would be run.
import { type Extension, RangeSet, RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, GutterMarker, gutterLineClass } from "@codemirror/view";
import type { CodeRange } from "../CodeEditor";

type Wrong = CodeRange & { message: string };

export const setWrong = StateEffect.define<Wrong | null>();
export const setMeant = StateEffect.define<CodeRange | null>();

const wrong = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, change) {
    let next = change.docChanged ? Decoration.none : marks;
    for (const effect of change.effects) {
      if (!effect.is(setWrong)) continue;
      const at = effect.value === null ? null : inside(effect.value, change.newDoc.length);
      next = at === null ? Decoration.none : Decoration.set(Decoration.mark({ class: "cm-wrong", attributes: { title: effect.value?.message ?? "" } }).range(at.from, at.to));
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

class MeantLine extends GutterMarker {
  override elementClass = "cm-meant";
}
const MEANT = new MeantLine();

const meant = StateField.define<RangeSet<GutterMarker>>({
  create: () => RangeSet.empty,
  update(marks, change) {
    let next = change.docChanged ? marks.map(change.changes) : marks;
    for (const effect of change.effects) {
      if (!effect.is(setMeant)) continue;
      const lines = new RangeSetBuilder<GutterMarker>();
      const at = effect.value === null ? null : inside(effect.value, change.newDoc.length);
      if (at !== null) {
        const last = change.newDoc.lineAt(at.to).number;
        for (let number = change.newDoc.lineAt(at.from).number; number <= last; number += 1) {
          const { from } = change.newDoc.line(number);
          lines.add(from, from, MEANT);
        }
      }
      next = lines.finish();
    }
    return next;
  },
  provide: (field) => gutterLineClass.from(field),
});

/** The range as far as the text goes; null where nothing of it is left. */
function inside({ from, to }: CodeRange, length: number): CodeRange | null {
  const end = Math.min(to, length);
  return from < end ? { from, to: end } : null;
}

export const editorMarks: Extension = [wrong, meant];
