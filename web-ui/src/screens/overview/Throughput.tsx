// How much flows, as a river: in above the line, out below it.
import { live } from "../../api/live";
import type { Overview } from "../../api/overview";
import { Bytes, Count } from "../../components/Quantity";
import { useNow } from "../../components/RelativeTime";
import { bytes } from "../../format/quantity";
import { language, t } from "../../i18n/text";
import { useStore } from "../../store";
import "./overview.css";
import { river, WINDOW_MS } from "./river";

export function Throughput({ overview, isCounted }: { overview: Overview; isCounted: boolean }) {
  const { points } = useStore(live);
  const now = useNow();
  const shape = river(points, now);
  const isDrawn = shape.above.length + shape.below.length > 0;
  const most = bytes(shape.most, language());
  return (
    <section class="panel overview-throughput">
      <header class="panel-head">
        <h2>{t("overview.throughput")}</h2>
        <span class="soft small">{t("overview.window", { minutes: WINDOW_MS / 60_000 })}</span>
      </header>
      <dl class="rates">
        <div class="rate-in">
          <dt>{t("overview.in")}</dt>
          <dd>
            <Bytes value={overview.bytes_in_per_s} per />
          </dd>
        </div>
        <div class="rate-out">
          <dt>{t("overview.out")}</dt>
          <dd>
            <Bytes value={overview.bytes_out_per_s} per />
          </dd>
        </div>
        <div>
          <dt>{t("overview.messages")}</dt>
          <dd>
            <Count value={overview.messages_in_per_s} per />
          </dd>
        </div>
        <div>
          <dt>{t("overview.requests")}</dt>
          <dd>
            <Count value={overview.requests_per_s} per />
          </dd>
        </div>
      </dl>
      <div class="river">
        <svg viewBox="0 0 1000 200" preserveAspectRatio="none" role="img" aria-label={t("overview.throughput")}>
          {shape.above.map((reach, index) => (
            <g key={index} class="river-in">
              <path class="river-area" d={reach.area} />
              <path class="river-edge" d={reach.edge} />
            </g>
          ))}
          {shape.below.map((reach, index) => (
            <g key={index} class="river-out">
              <path class="river-area" d={reach.area} />
              <path class="river-edge" d={reach.edge} />
            </g>
          ))}
          <path class="river-line" d="M0 100H1000" />
        </svg>
        {isDrawn && (
          <span class="river-most">
            {most.number} {most.unit}/s
          </span>
        )}
        {!isDrawn && <div class="river-wait"><span>{isCounted ? t("overview.gathering") : t("overview.not_counted")}</span></div>}
      </div>
      <footer class="river-foot small soft">
        <span>{t("overview.ago", { minutes: WINDOW_MS / 60_000 })}</span>
        <span>{t("overview.now")}</span>
      </footer>
    </section>
  );
}
