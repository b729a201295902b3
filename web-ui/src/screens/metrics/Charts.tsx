// Several charts over the same time: one question for all of them; a part marked in one is shown in each.
import { path } from "../../api/client";
import type { Metrics } from "../../api/metrics";
import { useApi } from "../../api/use_api";
import { Chart } from "../../components/Chart";
import { CopyAs } from "../../components/CopyAs";
import { ErrorState } from "../../components/EmptyState";
import { Bytes, Count, Duration } from "../../components/Quantity";
import { useNow } from "../../components/RelativeTime";
import { Icon } from "../../components/Icon";
import { StatusMark } from "../../components/StatusMark";
import { exactTime } from "../../format/time";
import { type Key, language, t } from "../../i18n/text";
import { setQuery, usePlace } from "../../router";
import "./metrics.css";
import { aligned, isAnythingKnown, lastKnown, seriesName } from "./series";
import { marked, RANGES, type RangeName, stepMs, timeRange } from "./time_range";

export interface ChartPlan {
  title: Key;
  unit: "count" | "bytes" | "ms";
  isPer?: boolean;
  series: readonly { name: string; title: Key }[];
}

export interface ChartsProps {
  clusterId: string;
  plans: readonly ChartPlan[];
  labels?: Record<string, string>;
  note?: string;
  /** Told where nothing at all is known of that time: why that may be. */
  unknownNote?: string;
}

export function Charts({ clusterId, plans, labels = {}, note, unknownNote }: ChartsProps) {
  const { query } = usePlace();
  const shown = timeRange(query, useNow());
  const at = path`/clusters/${clusterId}/metrics`;
  const asked = {
    series: plans.flatMap((plan) => plan.series.map((each) => seriesName(each.name, labels))),
    from: shown.fromMs,
    to: shown.toMs,
    step: stepMs(shown.toMs - shown.fromMs),
  };
  const loaded = useApi<Metrics>(at, asked);
  if (loaded.data === null && loaded.error !== null) return <ErrorState error={loaded.error} onRetry={loaded.reload} />;
  const onRange = (fromMs: number, toMs: number): void => setQuery(marked(fromMs, toMs));
  return (
    <div class="stack charts">
      <div class="row wrap">
        <fieldset class="segments">
          <legend class="unseen">{t("metrics.range")}</legend>
          {(Object.keys(RANGES) as RangeName[]).map((range) => (
            <button key={range} type="button" class="button" aria-pressed={shown.range === range} onClick={() => setQuery({ range: range === "1h" ? null : range, from: null, to: null })}>
              {t(`metrics.range.${range}`)}
            </button>
          ))}
        </fieldset>
        {shown.range === null ? (
          <>
            <span class="soft small">{`${exactTime(shown.fromMs, language()).slice(0, 20)} – ${exactTime(shown.toMs, language()).slice(0, 20)}`}</span>
            <button type="button" class="button" onClick={() => setQuery({ from: null, to: null })}>
              <Icon name="undo" />
              {t("metrics.back")}
            </button>
          </>
        ) : (
          <span class="soft small wide-only">{t("metrics.how")}</span>
        )}
        <span class="push" />
        <CopyAs action={{ method: "GET", path: at, query: asked }} />
      </div>
      {note !== undefined && <p class="soft small">{note}</p>}
      {unknownNote !== undefined && loaded.data !== null && !isAnythingKnown(loaded.data.series) && (
        <p role="note">
          <StatusMark status="unknown">{unknownNote}</StatusMark>
        </p>
      )}
      <div class="chart-grid">
        {plans.map((plan) => {
          const { times, values } = aligned(loaded.data?.series ?? [], plan.series.map((each) => each.name));
          return (
            <section key={plan.title} class="panel">
              <header class="panel-head">
                <h2>{t(plan.title)}</h2>
                <span class="row">
                  {plan.series.map((each, index) => (
                    <span key={each.name} class="chart-last" title={t("metrics.last", { name: t(each.title) })}>
                      <Last plan={plan} value={lastKnown(values[index] ?? [])} />
                    </span>
                  ))}
                </span>
              </header>
              <div class="panel-body">
                <Chart
                  label={t(plan.title)}
                  times={times}
                  series={plan.series.map((each, index) => ({ name: t(each.title), values: values[index] ?? [] }))}
                  unit={plan.unit}
                  {...(plan.isPer ? { isPer: true } : {})}
                  fromMs={shown.fromMs}
                  toMs={shown.toMs}
                  onRange={onRange}
                />
              </div>
            </section>
          );
        })}
      </div>
    </div>
  );
}

function Last({ plan, value }: { plan: ChartPlan; value: number | null }) {
  if (plan.unit === "ms") return <Duration ms={value === null ? null : Math.round(value)} />;
  const Value = plan.unit === "bytes" ? Bytes : Count;
  return <Value value={value} {...(plan.isPer ? { per: true } : {})} />;
}
