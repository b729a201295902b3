import { isMasked, type Message } from "../../api/messages";
import type { Column } from "../../components/DataTable";
import { Icon } from "../../components/Icon";
import { bytes } from "../../format/quantity";
import { exactTime } from "../../format/time";
import { language, t } from "../../i18n/text";
import { rowKey } from "./kept_rows";

const PREVIEW_LENGTH = 400;

/** A key or a value in one line. None, empty and hidden are three things. */
export function Preview({ text, what }: { text: string | null; what: "key" | "value" }) {
  if (text === null) return <span class="tag">{t(what === "key" ? "messages.no_key" : "messages.tombstone")}</span>;
  if (text === "") return <span class="soft message-empty">{t("messages.empty_text")}</span>;
  return (
    <span class="mono">
      {isMasked(text) && (
        <span class="message-lock" title={t("messages.masked")}>
          <Icon name="lock" />
          <span class="unseen">{t("messages.masked")}</span>
        </span>
      )}
      {text.slice(0, PREVIEW_LENGTH)}
    </span>
  );
}

/** `href` takes the message's place to the address that opens it. */
export function messageColumns(href: (place: string) => string): Column<Message>[] {
  // One formatter for all rows: making one takes longer than drawing a row.
  const clock = new Intl.DateTimeFormat(language(), { month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3, hourCycle: "h23" });
  return [
    { id: "offset", title: t("messages.offset"), value: (row) => row.offset, width: 96, isNumber: true, priority: 1, cell: (row) => <a href={href(rowKey(row))}>{row.offset}</a> },
    { id: "partition", title: t("partition.number"), value: (row) => row.partition, width: 76, isNumber: true, priority: 4, cell: (row) => row.partition },
    {
      id: "timestamp_ms",
      title: t("messages.time"),
      value: (row) => new Date(row.timestamp_ms).toISOString(),
      width: 152,
      priority: 3,
      cell: (row) => <span title={exactTimeOnce(row.timestamp_ms)}>{clock.format(row.timestamp_ms)}</span>,
    },
    { id: "key", title: t("messages.key"), value: (row) => row.key, width: 128, priority: 2, cell: (row) => <Preview text={row.key} what="key" /> },
    { id: "value", title: t("messages.value"), value: (row) => row.value, width: 124, isWide: true, priority: 1, cell: (row) => <Preview text={row.value} what="value" /> },
    { id: "headers", title: t("messages.headers"), value: (row) => JSON.stringify(row.headers), width: 72, isNumber: true, priority: 6, cell: (row) => row.headers.length },
    { id: "format", title: t("messages.format"), value: (row) => row.value_decoded.format, width: 88, priority: 5, cell: (row) => <span class="soft">{formatName(row.value_decoded.format)}</span> },
    { id: "size_bytes", title: t("topics.size"), value: (row) => row.size_bytes, width: 84, isNumber: true, priority: 4, cell: (row) => sizeText(row.size_bytes) },
  ];
}

const NAMES: Record<string, string> = { avro: "Avro", protobuf: "Protobuf", json: "JSON", json_schema: "JSON Schema", msgpack: "MessagePack", uuid: "UUID" };

export function formatName(format: string): string {
  if (format === "null") return "–";
  if (format === "auto") return t("messages.auto");
  if (format === "text") return t("messages.text");
  return NAMES[format] ?? format;
}

const times = new Map<number, string>();
const sizes = new Map<number, string>();

function exactTimeOnce(ms: number): string {
  return once(times, ms, () => exactTime(ms, language()));
}

function sizeText(size: number): string {
  return once(sizes, size, () => {
    const { number, unit } = bytes(size, language());
    return `${number} ${unit}`;
  });
}

function once(known: Map<number, string>, key: number, make: () => string): string {
  let text = known.get(key);
  if (text === undefined) {
    if (known.size > 2000) known.clear();
    text = make();
    known.set(key, text);
  }
  return text;
}
