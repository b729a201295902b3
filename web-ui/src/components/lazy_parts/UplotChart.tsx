import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { bytes, count, duration } from "../../format/quantity";
import { exactTime } from "../../format/time";
import { language, t } from "../../i18n/text";
import { drawnColor, watchColors } from "../../theme";
import type { ChartProps } from "../Chart";
import "./chart.css";

const HEIGHT = 180;
const COLORS = ["--series-1", "--series-2", "--series-3", "--series-4", "--series-5"];
/** Lines differ by more than colour. */
const DASHES = [[], [6, 3], [2, 3], [10, 3, 2, 3], [1, 4]];

export default function UplotChart(props: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const last = useRef(props);
  last.current = props;
  const names = props.series.map((each) => each.name).join("\n");

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const draw = (): void => {
      plot.current?.destroy();
      plot.current = new uPlot(options(element, () => last.current), data(last.current), element);
    };
    draw();
    const observer = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height: last.current.height ?? HEIGHT }));
    observer.observe(element);
    const stop = watchColors(draw);
    return () => {
      observer.disconnect();
      stop();
      plot.current?.destroy();
      plot.current = null;
    };
  }, [names, props.unit, props.isPer, language()]);
  useEffect(() => {
    plot.current?.setData(data(props), true);
  }, [props.times, props.series, props.fromMs, props.toMs]);

  const isEmpty = props.series.every((each) => each.values.every((value) => value === null));
  return (
    <figure class="chart">
      <figcaption class="unseen">{props.label}</figcaption>
      <ul class="chart-legend">
        {props.series.map((each, index) => (
          <li key={each.name}>
            <svg viewBox="0 0 20 4" aria-hidden="true" class={`series-${(index % COLORS.length) + 1}`}>
              <path d="M0 2h20" stroke-dasharray={(DASHES[index % DASHES.length] ?? []).join(" ")} />
            </svg>
            {each.name}
          </li>
        ))}
      </ul>
      <div ref={box} class="chart-box" role="img" aria-label={props.label}>
        {isEmpty && <span class="chart-none soft">{t("chart.none")}</span>}
      </div>
    </figure>
  );
}

function data(props: ChartProps): uPlot.AlignedData {
  return [props.times.map((ms) => ms / 1000), ...props.series.map((each) => [...each.values])];
}

function written(props: ChartProps, value: number): string {
  if (props.unit === "ms") return duration(value, language());
  const { number, unit } = (props.unit === "bytes" ? bytes : count)(value, language());
  return `${number} ${unit}${props.isPer ? "/s" : ""}`.trim();
}

function options(element: HTMLElement, props: () => ChartProps): uPlot.Options {
  const color = (token: string): string => drawnColor(element, token);
  const axis = { stroke: color("--text-soft"), font: `11px ${getComputedStyle(element).fontFamily}`, ticks: { show: false } };
  return {
    width: element.clientWidth,
    height: props().height ?? HEIGHT,
    padding: [8, 12, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: true, y: false, setScale: false }, points: { size: 6 } },
    select: { show: true, left: 0, top: 0, width: 0, height: 0 },
    scales: {
      x: { range: () => [props().fromMs / 1000, props().toMs / 1000] },
      y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.05)] },
    },
    axes: [
      { ...axis, size: 28, grid: { show: false }, values: (_plot, splits) => splits.map((at) => new Intl.DateTimeFormat(language(), { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(at * 1000)) },
      { ...axis, size: 72, incrs: steps(props().unit), grid: { stroke: color("--line"), width: 1 }, values: (_plot, splits) => splits.map((value) => written(props(), value)) },
    ],
    series: [
      {},
      ...props().series.map((each, index) => ({
        label: each.name,
        stroke: color(COLORS[index % COLORS.length] ?? "--series-1"),
        dash: DASHES[index % DASHES.length] ?? [],
        width: 1.5,
        spanGaps: false,
        points: { show: false },
      })),
    ],
    hooks: {
      setCursor: [(plot) => tell(plot, props())],
      setSelect: [
        (plot) => {
          const { left, width } = plot.select;
          if (width < 4) return;
          props().onRange?.(plot.posToVal(left, "x") * 1000, plot.posToVal(left + width, "x") * 1000);
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
    },
  };
}

/** Between two lines of the grid: round numbers of the unit that is written, and no half of a partition. */
function steps(unit: ChartProps["unit"]): number[] {
  const base = unit === "bytes" ? 1024 : 1000;
  const firsts = unit === "bytes" ? [1, 2, 4, 8, 16, 32, 64, 128, 256, 512] : [1, 2, 5, 10, 20, 50, 100, 200, 500];
  return [0, 1, 2, 3, 4, 5].flatMap((power) => firsts.map((first) => first * base ** power));
}

/** What is under the pointer, in a note beside it. */
function tell(plot: uPlot, props: ChartProps): void {
  let note = plot.over.querySelector<HTMLDivElement>(".chart-note");
  const at = plot.cursor.idx;
  if (at === null || at === undefined) {
    note?.remove();
    return;
  }
  if (note === null) {
    note = document.createElement("div");
    note.className = "chart-note";
    plot.over.append(note);
  }
  const lines = props.series.map((each) => {
    const value = each.values[at];
    return `${each.name}: ${value === null || value === undefined ? t("value.unknown") : written(props, value)}`;
  });
  note.textContent = [exactTime(props.times[at] ?? 0, language()), ...lines].join("\n");
  const left = plot.cursor.left ?? 0;
  const isRight = left > plot.over.clientWidth / 2;
  note.style.setProperty("left", isRight ? "auto" : `${left + 12}px`);
  note.style.setProperty("right", isRight ? `${plot.over.clientWidth - left + 12}px` : "auto");
}
