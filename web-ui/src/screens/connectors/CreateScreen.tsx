// The second step of a new connector: what its plugin is to be told.
import { useId, useState } from "preact/hooks";
import { path, send, sentence } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import { type PluginForm, shortClass } from "../../api/connectors";
import { useMay } from "../../api/me";
import { useApi } from "../../api/use_api";
import { CopyAs } from "../../components/CopyAs";
import { EmptyState, ErrorState } from "../../components/EmptyState";
import { Skeleton } from "../../components/Skeleton";
import { StatusMark } from "../../components/StatusMark";
import { toast } from "../../components/toasts";
import { t } from "../../i18n/text";
import { build, navigate } from "../../router";
import { Page } from "../../shell/Page";
import type { ScreenProps } from "../table";
import { ConnectorForm } from "./ConnectorForm";
import "./connectors.css";
import { createCommand } from "./commands";
import { CLASS, type Draft, withoutSecrets } from "./draft";
import { LIST, ONE, PLUGINS } from "./links";
import { useTrial } from "./use_trial";

const STATES = ["RUNNING", "PAUSED", "STOPPED"] as const;
type State = (typeof STATES)[number];

export default function CreateScreen({ cluster, params }: ScreenProps) {
  const plugin = params["plugin"] ?? "";
  const loaded = useApi<PluginForm>(cluster === null ? null : path`/clusters/${cluster.id}/connector-plugins/${plugin}`);
  const may = useMay("admin");
  if (cluster === null) return null;
  return (
    <Page title={shortClass(plugin)} above={{ title: t("plugins.title"), href: build(PLUGINS, { cluster: cluster.id }) }} isFilled>
      {!may ? (
        <EmptyState title={t("connector.may_not")}>{t("connector.may_not_why")}</EmptyState>
      ) : loaded.data !== null ? (
        <Creating key={plugin} cluster={cluster} form={loaded.data} />
      ) : loaded.error !== null ? (
        <ErrorState error={loaded.error} onRetry={loaded.reload} />
      ) : (
        <Skeleton isShown={loaded.isSlow} />
      )}
    </Page>
  );
}

function Creating({ cluster, form }: { cluster: Cluster; form: PluginForm }) {
  const [draft, setDraft] = useState<Draft>({ name: "", config: { [CLASS]: form.class } });
  const [state, setState] = useState<State>("RUNNING");
  const [isChecked, setChecked] = useState(false);
  const [isRunning, setRunning] = useState(false);
  const [isUnreadable, setUnreadable] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const trial = useTrial(cluster.id, form.class, draft, null);
  const id = useId();
  const at = path`/clusters/${cluster.id}/connectors`;
  const bodyOf = (from: Draft) => ({ name: from.name, config: { [CLASS]: form.class, ...from.config }, ...(state === "RUNNING" ? {} : { initial_state: state }) });
  const shown = withoutSecrets(draft, form.settings);

  const check = async (): Promise<boolean> => {
    setChecked(true);
    setProblem(null);
    const { error_count } = await trial.ask();
    if (error_count === 0) return true;
    requestAnimationFrame(() => document.querySelector<HTMLElement>(".connector-form [aria-invalid=true]")?.focus());
    return false;
  };
  const run = async (act: () => Promise<void>): Promise<void> => {
    setRunning(true);
    try {
      await act();
    } catch (error) {
      setProblem(sentence(error));
    }
    setRunning(false);
  };
  const create = async (): Promise<void> => {
    if (!(await check())) return;
    await send("POST", at, bodyOf(draft));
    toast({
      text: t("connector.created", { name: draft.name }),
      undo: async () => {
        await send("DELETE", path`/clusters/${cluster.id}/connectors/${draft.name}`);
        navigate(build(LIST, { cluster: cluster.id }));
      },
    });
    navigate(build(ONE, { cluster: cluster.id, connector: draft.name }));
  };
  return (
    <form
      class="connector-edit"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isRunning && !isUnreadable) void run(create);
      }}
    >
      <div class="connector-room">
        <ConnectorForm clusterId={cluster.id} form={form} draft={draft} trial={trial} hidden={[]} isChecked={isChecked} isNew onChange={setDraft} onUnreadable={setUnreadable} />
      </div>
      <footer class="connector-foot">
        <CopyAs isLabelled action={{ method: "POST", path: at, body: bodyOf(shown), ...(state === "RUNNING" ? { command: createCommand(cluster, shown) } : {}) }} />
        <TrialWord trial={trial} isChecked={isChecked} problem={problem} />
        <span class="push" />
        <label for={id} class="soft wide-only">
          {t("connector.initial_state")}
        </label>
        <select id={id} class="input setting-choice" aria-label={t("connector.initial_state")} value={state} onChange={(event) => setState(STATES.find((each) => each === event.currentTarget.value) ?? "RUNNING")}>
          {STATES.map((each) => (
            <option key={each} value={each}>
              {t(`connector.${each.toLowerCase() as "running" | "paused" | "stopped"}`)}
            </option>
          ))}
        </select>
        <button type="button" class="button" disabled={isRunning || isUnreadable} onClick={() => void run(async () => void (await check()))}>
          {t("connector.check")}
        </button>
        <button type="submit" class="button main" disabled={isRunning || isUnreadable}>
          {t("connector.create_verb")}
        </button>
      </footer>
    </form>
  );
}

/** What the last trial came to, in one line. */
export function TrialWord({ trial, isChecked, problem }: { trial: ReturnType<typeof useTrial>; isChecked: boolean; problem: string | null }) {
  const sentenceShown = problem ?? trial.problem;
  const count = trial.validation?.error_count ?? 0;
  return (
    <span class="trial-word" role="status">
      {sentenceShown !== null ? (
        <StatusMark status="bad">
          <span title={sentenceShown}>{sentenceShown}</span>
        </StatusMark>
      ) : (
        isChecked && trial.isCurrent && trial.validation !== null && <StatusMark status={count > 0 ? "warning" : "good"}>{count > 0 ? t("connector.wrong", { n: count }) : t("connector.right")}</StatusMark>
      )}
    </span>
  );
}
