// Icons of our own on a 16 px grid, drawn in the colour of the text.
import "./icon.css";

const PATHS = {
  overview: "M2 11.5a6 6 0 1 1 12 0M8 11.5l3-4",
  topics: "M2 4.5h12M2 8h12M2 11.5h8",
  groups: "M5.5 7.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM2 13c0-2.2 1.5-3.5 3.5-3.5S9 10.8 9 13M11 7.5a1.7 1.7 0 1 0 0-3.4M11 9.5c1.8 0 3 1.3 3 3.5",
  brokers: "M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01",
  schemas: "M6 2.5c-2 0-2 1-2 2.5S4 8 2.5 8C4 8 4 9.5 4 11s0 2.5 2 2.5M10 2.5c2 0 2 1 2 2.5s0 3 1.5 3C12 8 12 9.5 12 11s0 2.5-2 2.5",
  connectors: "M6 2.5v3M10 2.5v3M4 5.5h8v2.5a4 4 0 0 1-8 0zM8 12v2",
  sql: "M2.5 4.5 6 8l-3.5 3.5M8 12h5.5",
  pipelines: "M2 5c2-2 4-2 6 0s4 2 6 0M2 11c2-2 4-2 6 0s4 2 6 0",
  flow: "M2 8h3M11 4.5h3M11 11.5h3M5 8c3 0 3-3.5 6-3.5M5 8c3 0 3 3.5 6 3.5",
  security: "M8 2 3 4v4c0 3 2 5 5 6 3-1 5-3 5-6V4z",
  transactions: "M3 6h9l-2.5-2.5M13 10H4l2.5 2.5",
  metrics: "M2.5 13.5h11M4 11l3-4 2.5 2L13 4",
  alerts: "M4 11.5V7a4 4 0 0 1 8 0v4.5zM2.5 11.5h11M7 13.5h2",
  audit: "M4 2.5h8v11H4zM6 5.5h4M6 8h4M6 10.5h2",
  settings: "M2.5 5h6M12 5h1.5M2.5 11H4M7.5 11h6M10.25 6.75a1.75 1.75 0 1 0 0-3.5 1.75 1.75 0 0 0 0 3.5ZM5.75 12.750a1.75 1.75 0 1 0 0-3.5 1.75 1.75 0 0 0 0 3.5Z",
  components: "M3 3h4v4H3zM9 3h4v4H9zM3 9h4v4H3zM9 9h4v4H9z",
  search: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.5 10.5l3 3",
  close: "m4 4 8 8M12 4l-8 8",
  plus: "M8 3v10M3 8h10",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  down: "m4 6 4 4 4-4",
  right: "m6 4 4 4-4 4",
  left: "m10 4-4 4 4 4",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  download: "M8 2.5v8M4.5 7.5 8 11l3.5-3.5M3 13.5h10",
  columns: "M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10",
  edit: "m3 13 .7-3L10.5 3.2l2.3 2.3L6 12.3z",
  undo: "M6 3 3 6l3 3M3 6h6a4 4 0 0 1 0 8H7",
  refresh: "M13 8a5 5 0 1 1-1.5-3.5M13 2.5v3h-3",
  trash: "M3 4.5h10M6 4.5v-2h4v2M4.5 4.5l.5 9h6l.5-9M7 7v4M9 7v4",
  tree: "M3 3h4M3 3v9.5h4M3 7.5h4M9 3h4M9 7.5h4M9 12.5h4",
  list: "M2.5 4h.01M2.5 8h.01M2.5 12h.01M5.5 4h8M5.5 8h8M5.5 12h8",
  sun: "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 1.5V3M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M12.6 3.4l-1 1M4.4 11.6l-1 1",
  moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5Z",
  auto: "M8 13.5a5.5 5.5 0 1 0 0-11zM8 2.5a5.5 5.5 0 0 0 0 11z",
  language: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM2.3 6.5h11.4M2.3 9.5h11.4M8 2c2 1.7 2.8 3.7 2.8 6S10 12.3 8 14M8 2C6 3.7 5.2 5.7 5.2 8S6 12.3 8 14",
  keyboard: "M1.5 4h13v8h-13zM4 6.5h.01M6.7 6.5h.01M9.3 6.5h.01M12 6.5h.01M5 9.5h6",
  leave: "M9.5 5V2.5h-7v11h7V11M6 8h8M11.5 5.5 14 8l-2.5 2.5",
  up: "m4 10 4-4 4 4",
  lock: "M4 7.5h8v6H4zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5",
  info: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 7.5v3.5M8 5h.01",
  link: "M6.5 9.5l3-3M7 4.5l1-1a3 3 0 0 1 4.5 4.5l-1 1M9 11.5l-1 1A3 3 0 0 1 3.5 8l1-1",
  fit: "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10",
  clock: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 4.5V8l2.5 1.5",
  play: "M5 3v10l8-5z",
  pause: "M5.5 3v10M10.5 3v10",
  stop: "M4 4h8v8H4z",
} as const;

export type IconName = keyof typeof PATHS;
export const ICONS = Object.keys(PATHS) as IconName[];

/** Beside a text it says nothing by itself; alone it needs the button's label. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class={name === "more" ? "icon heavy" : "icon"} viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
