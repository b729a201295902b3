// A new version of a subject, or the first of a new one. What the registry has against it is told before anything is saved.
import { useId, useState } from "preact/hooks";
import { get, path, send, sentence } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import type { Page as PageOf } from "../../api/list";
import { type Registered, SCHEMA_TYPES, type SchemaType, type SchemaVersion, type Subject, type SubjectRow, type TrialOutcome } from "../../api/schemas";
import { CodeEditor } from "../../components/CodeEditor";
import { ActionDialog } from "../../components/Dialog";
import { DiffView } from "../../components/DiffView";
import { toast } from "../../components/toasts";
import { t } from "../../i18n/text";
import { navigate } from "../../router";
import { registerCommand } from "./commands";
import { listHref, subjectHref } from "./hrefs";
import { ReferenceLines } from "./ReferenceLines";
import { isChanged, newVersion, type SchemaForm, startOf, withType } from "./schema_form";
import { languageOf, pretty } from "./schema_text";
import { isRefused, Verdict } from "./Verdict";

export interface SchemaDialogProps {
  cluster: Cluster;
  /** What a new one may be called, or the one that there is. */
  subject: string;
  latest: SchemaVersion | null;
  versions: readonly number[];
  onClose(): void;
  onDone(): void;
}

export function SchemaDialog({ cluster, subject, latest, versions, onClose, onDone }: SchemaDialogProps) {
  // What it was when the dialog opened: the page behind goes on asking.
  const [before] = useState(latest);
  const [form, setForm] = useState<SchemaForm>(() => startOf(subject, latest));
  const [isComparing, setComparing] = useState(false);
  const [trial, setTrial] = useState<{ of: string; outcome: TrialOutcome } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isChecking, setChecking] = useState(false);
  const id = useId();
  const put = (change: Partial<SchemaForm>): void => setForm((now) => ({ ...now, ...change }));
  const body = newVersion(form);
  const draft = body ?? { schema: form.text, type: form.type, references: [] };
  const one = path`/clusters/${cluster.id}/schemas/${form.subject}`;
  const asked = JSON.stringify([form.subject, body]);
  const outcome = trial?.of === asked ? trial.outcome : null;
  const isNews = isChanged(form, before);

  const check = async (): Promise<TrialOutcome | null> => {
    if (body === null) return null;
    setChecking(true);
    setProblem(null);
    try {
      const told = await send<TrialOutcome>("POST", `${one}/check`, body);
      setTrial({ of: asked, outcome: told });
      return told;
    } finally {
      setChecking(false);
    }
  };
  const tryOut = (): void => void check().catch((error: unknown) => setProblem(sentence(error)));

  return (
    <ActionDialog
      title={before === null ? t("schemas.create") : t("schema.new_version_of", { subject })}
      verb={t("action.save")}
      size="large"
      action={{ method: "POST", path: `${one}/versions`, body: draft, command: registerCommand(cluster, form.subject, draft) }}
      isReady={body !== null && isNews && (outcome === null || !isRefused(outcome))}
      onClose={onClose}
      onRun={async () => {
        const told = outcome ?? (await check());
        if (told === null || isRefused(told)) throw new Error(t("schema.not_saved"));
        // What the page knows may be some seconds old, and a subject that is typed may be there.
        const there = await versionsOf(cluster.id, form.subject);
        const saved = await send<Registered>("POST", `${one}/versions`, body);
        const isNew = there !== null && saved.version !== null && !there.includes(saved.version);
        toast({
          text: savedText(form.subject, saved, there ?? versions),
          ...(isNew
            ? {
                undo: async () => {
                  await send("DELETE", `${one}/versions/${saved.version}`);
                  if (there.length === 0) navigate(listHref(cluster.id));
                  else onDone();
                },
              }
            : {}),
        });
        onDone();
        navigate(subjectHref(cluster.id, form.subject, "schema"));
      }}
    >
      <div class="schema-fields">
        {before === null && (
          <div class="field">
            <label for={`${id}-subject`}>{t("schemas.subject")}</label>
            <input id={`${id}-subject`} class="input mono" value={form.subject} required autofocus maxLength={1000} autocomplete="off" spellcheck={false} aria-describedby={`${id}-hint`} onInput={(event) => put({ subject: event.currentTarget.value })} />
            <span id={`${id}-hint`} class="hint">
              {t("schemas.subject_hint")}
            </span>
          </div>
        )}
        <div class="field">
          <label for={`${id}-type`}>{t("schemas.type")}</label>
          <select id={`${id}-type`} class="input" value={form.type} onChange={(event) => setForm(withType(form, event.currentTarget.value as SchemaType))}>
            {SCHEMA_TYPES.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </div>
      </div>
      <div class="field">
        <div class="row">
          <span class="label push">{t("schema.text")}</span>
          {before !== null && (
            <button type="button" class="button quiet" aria-pressed={isComparing} onClick={() => setComparing(!isComparing)}>
              {t("schema.show_changes")}
            </button>
          )}
        </div>
        {isComparing && before !== null ? (
          <div class="schema-compared">
            <DiffView before={pretty(before.schema, before.type)} after={pretty(form.text, form.type)} beforeTitle={t("schema.n_version", { version: String(before.version) })} afterTitle={t("schema.new_version")} isJson={languageOf(form.type) === "json"} />
          </div>
        ) : (
          <div class="schema-editor">
            <CodeEditor label={t("schema.text")} value={form.text} language={languageOf(form.type)} lines={14} onChange={(text) => put({ text })} onRun={tryOut} />
          </div>
        )}
      </div>
      <ReferenceLines clusterId={cluster.id} type={form.type} lines={form.references} onChange={(references) => put({ references })} />
      <Verdict
        outcome={outcome}
        problem={problem}
        isOutdated={trial !== null && outcome === null}
        action={
          <button type="button" class="button" disabled={body === null || isChecking} onClick={tryOut}>
            {t("schema.check")}
          </button>
        }
      />
    </ActionDialog>
  );
}

const NAMED_MAX = 20;

/** null: it cannot be told, and what may have been there before is not taken away. The list is asked for the name first:
 * a question for one that is not there would be an error. */
async function versionsOf(clusterId: string, subject: string): Promise<readonly number[] | null> {
  try {
    const named = await get<PageOf<SubjectRow>>(path`/clusters/${clusterId}/schemas`, { q: subject, sort: "subject", page_size: NAMED_MAX });
    if (named.items.some((row) => row.subject === subject)) return (await get<Subject>(path`/clusters/${clusterId}/schemas/${subject}`)).versions;
    return named.total <= named.items.length ? [] : null;
  } catch {
    return null;
  }
}

function savedText(subject: string, saved: Registered, versions: readonly number[]): string {
  const id = String(saved.id);
  if (saved.version === null) return t("schema.saved_id", { subject, id });
  const values = { subject, version: String(saved.version), id };
  return versions.includes(saved.version) ? t("schema.saved_before", values) : t("schema.saved", values);
}
