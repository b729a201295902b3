// Move replicas: say what and where to, see old and new side by side with what it costs, then start.
import { useEffect, useId, useState } from "preact/hooks";
import type { BrokerRow } from "../../api/brokers";
import { get, path, send, sentence } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import type { Page } from "../../api/list";
import type { MoveOutcome, Plan } from "../../api/reassignments";
import type { TopicRow } from "../../api/topics";
import { forget, useApi } from "../../api/use_api";
import { Combobox } from "../../components/Combobox";
import { ActionDialog } from "../../components/Dialog";
import { toast } from "../../components/toasts";
import { t } from "../../i18n/text";
import { fieldOf } from "../security/rates";
import { moveCommand } from "./move_commands";
import { movesBack, movesThere, planWanted, throttleOf, type MoveForm } from "./move_request";
import { MovePreview } from "./MovePreview";
import "./moves.css";
import { Targets } from "./Targets";
import { ThrottleField } from "./Throttle";
import { WrittenLists } from "./WrittenLists";

const PAUSE_MS = 200;

export interface MoveDialogProps {
  cluster: Cluster;
  /** What is chosen already: a topic, partitions of it, or a broker that is to be emptied. */
  topic?: string;
  partitions?: string;
  broker?: number;
  onClose(): void;
  onDone?(): void;
}

export function MoveDialog({ cluster, topic = "", partitions = "", broker, onClose, onDone }: MoveDialogProps) {
  const id = useId();
  const brokers = useApi<Page<BrokerRow>>(path`/clusters/${cluster.id}/brokers`, { page_size: 500 }).data?.items ?? [];
  const [form, setForm] = useState<MoveForm>({
    what: broker === undefined ? "topic" : "broker",
    topic,
    partitions,
    broker: broker === undefined ? "" : String(broker),
    targets: [],
    replication: "",
    isSpread: false,
    lists: "",
    throttle: fieldOf(undefined, "bytes"),
  });
  const [chosen, setChosen] = useState(false);
  // Until somebody chooses: every broker that can take something.
  const leaving = form.what === "broker" ? Number(form.broker) : null;
  const able = brokers.filter((each) => !each.is_fenced && (leaving === null || form.broker === "" || each.id !== leaving)).map((each) => each.id);
  const targets = chosen ? form.targets.filter((each) => able.includes(each)) : able;
  const { plan, error } = usePlan(cluster, { ...form, targets });
  const at = path`/clusters/${cluster.id}/reassignments`;
  const moves = movesThere(plan?.rows ?? []);
  const throttle = throttleOf(form);
  const limited = typeof throttle === "number" ? { throttle_bytes_per_s: throttle } : {};
  const change = (part: Partial<MoveForm>): void => setForm({ ...form, ...part });

  const start = async (): Promise<void> => {
    if (plan === null) return;
    const outcome = await send<MoveOutcome>("POST", at, { partitions: moves, ...limited });
    forget(at);
    onDone?.();
    const first = outcome.refused[0];
    if (first !== undefined) {
      toast({ text: t("moves.partly", { n: outcome.refused.length, first: `${first.topic}-${first.partition}: ${first.message}` }), status: "bad" });
    }
    toast({
      text: t("moves.started", { n: outcome.taken }),
      undo: async () => {
        await send("POST", at, { partitions: movesBack(plan.rows) });
        onDone?.();
      },
    });
  };
  const topics = async (text: string, signal: AbortSignal): Promise<string[]> => {
    const found = await get<Page<TopicRow>>(path`/clusters/${cluster.id}/topics`, { q: text, internal: true, page_size: 20 }, signal);
    return found.items.map((each) => each.name);
  };
  return (
    <ActionDialog
      title={broker === undefined ? t("moves.move") : t("moves.drain_of", { id: String(broker) })}
      verb={t("moves.start")}
      size="large"
      action={{ method: "POST", path: at, body: { partitions: moves, ...limited }, command: moveCommand(cluster, moves, "--execute", throttle ?? undefined) }}
      isReady={plan !== null && plan.rows.length > 0 && throttle !== null}
      onClose={onClose}
      onRun={start}
    >
      {broker === undefined && (
        <fieldset>
          <legend class="unseen">{t("moves.what")}</legend>
          <div class="row wrap move-what">
            {(["topic", "broker", "lists"] as const).map((what) => (
              <label key={what} class="check">
                <input type="radio" name={`${id}-what`} checked={form.what === what} onChange={() => change({ what })} />
                {t(`moves.what.${what}`)}
              </label>
            ))}
          </div>
        </fieldset>
      )}
      <div class="move-fields">
        {form.what === "topic" && (
          <>
            <div class="field">
              <label for={`${id}-topic`}>{t("topic.title")}</label>
              <Combobox id={`${id}-topic`} value={form.topic} options={topics} onChange={(next) => change({ topic: next.trim() })} />
            </div>
            <div class="field">
              <label for={`${id}-partitions`}>{t("topics.partitions")}</label>
              <input id={`${id}-partitions`} class="input" value={form.partitions} placeholder={t("moves.all_partitions")} autocomplete="off" onInput={(event) => change({ partitions: event.currentTarget.value })} />
            </div>
          </>
        )}
        {form.what === "broker" && broker === undefined && (
          <div class="field">
            <label for={`${id}-broker`}>{t("moves.off_broker")}</label>
            <select id={`${id}-broker`} class="input" value={form.broker} onChange={(event) => change({ broker: event.currentTarget.value })}>
              <option value="">{t("moves.choose_broker")}</option>
              {brokers.map((each) => (
                <option key={each.id} value={String(each.id)}>
                  {t("broker.name", { id: String(each.id) })}
                </option>
              ))}
            </select>
          </div>
        )}
        {form.what !== "lists" && (
          <div class="field">
            <label for={`${id}-replication`}>{t("moves.replication")}</label>
            <input
              id={`${id}-replication`}
              class="input number"
              type="number"
              min={1}
              max={99}
              value={form.replication}
              placeholder={t("moves.as_now")}
              onInput={(event) => change({ replication: event.currentTarget.value })}
            />
          </div>
        )}
        <ThrottleField field={form.throttle} isWrong={throttle === null} onChange={(next) => change({ throttle: next })} />
      </div>
      {form.what === "lists" ? (
        <WrittenLists text={form.lists} onChange={(lists) => change({ lists })} />
      ) : (
        <>
          <Targets
            brokers={brokers}
            able={able}
            chosen={targets}
            onChoose={(next) => {
              setChosen(true);
              change({ targets: next });
            }}
          />
          <label class="check">
            <input type="checkbox" checked={form.isSpread} onChange={(event) => change({ isSpread: event.currentTarget.checked })} />
            {t("moves.spread")}
          </label>
        </>
      )}
      <MovePreview plan={plan} error={error} />
    </ActionDialog>
  );
}

/** Asked for again when what is wanted changes; the old one stays until the new one is there. */
function usePlan(cluster: Cluster, form: MoveForm): { plan: Plan | null; error: string | null } {
  const [found, setFound] = useState<{ plan: Plan | null; error: string | null }>({ plan: null, error: null });
  const wanted = planWanted(form);
  const asked = wanted === null ? null : JSON.stringify(wanted);
  useEffect(() => {
    if (asked === null) {
      setFound({ plan: null, error: null });
      return;
    }
    let isGone = false;
    const timer = setTimeout(() => {
      send<Plan>("POST", path`/clusters/${cluster.id}/reassignments/plan`, JSON.parse(asked)).then(
        (plan) => !isGone && setFound({ plan, error: null }),
        (problem: unknown) => !isGone && setFound({ plan: null, error: sentence(problem) }),
      );
    }, PAUSE_MS);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [asked, cluster.id]);
  return found;
}
