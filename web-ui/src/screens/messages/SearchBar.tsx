// What to look for. Choices count at once; texts when Enter is pressed.
import type { ComponentChildren } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { LIMIT_MAX, READ_FORMATS } from "../../api/messages";
import { Icon } from "../../components/Icon";
import { Menu } from "../../components/Menu";
import { exact } from "../../format/quantity";
import { fieldTime } from "../../format/time";
import { language, t } from "../../i18n/text";
import { formatName } from "./columns";
import { foldedCount, LIMITS, partitionsOfText, queryOf, type Search, SPANS, timeMs } from "./search";

const PICKED_MAX = 64;
const HOUR_MS = 3_600_000;

export interface SearchBarProps {
  search: Search;
  partitions: number;
  /** Why the expression was refused, and where. */
  wrong: { message: string; position: number } | null;
  onSearch(search: Search): void;
  children: ComponentChildren;
}

export function SearchBar({ search, partitions, wrong, onSearch, children }: SearchBarProps) {
  const [draft, setDraft] = useState(search);
  const [isUnfolded, setUnfolded] = useState(foldedCount(search) > 0);
  // Why an expression is wrong stands below it.
  const isOpen = isUnfolded || wrong !== null;
  const key = queryOf(search).toString();
  useEffect(() => setDraft(search), [key]);
  const id = useId();
  const isWhole = (draft.from !== "offset" || /^\d{1,18}$/.test(draft.offset)) && (draft.from !== "time" || timeMs(draft.time) !== null);
  const isChanged = queryOf(draft).toString() !== key;
  const folded = foldedCount(draft);
  const put = (change: Partial<Search>): void => setDraft({ ...draft, ...change });
  const choose = (change: Partial<Search>): void => {
    const next = { ...draft, ...change };
    setDraft(next);
    if (next.from !== "offset" || next.offset !== "") onSearch(next);
  };
  const start = (choice: string): void => {
    if (choice === "offset") put({ from: "offset", follow: false });
    else if (choice === "time") choose({ from: "time", time: new Date(Date.now() - HOUR_MS).toISOString(), follow: false });
    else if (choice.startsWith("last:")) choose({ from: "last", last: choice.slice(5), follow: false });
    else choose({ from: choice === "oldest" ? "oldest" : "newest", follow: choice === "newest" && draft.follow });
  };
  const textField = (name: "key" | "value" | "header", label: string, hint?: string) => (
    <input
      class="input"
      type="search"
      value={draft[name]}
      aria-label={label}
      placeholder={hint ?? label}
      autocomplete="off"
      spellcheck={false}
      {...(name === "value" ? { "data-search": true } : {})}
      onInput={(event) => put({ [name]: event.currentTarget.value })}
    />
  );
  return (
    <form
      class={`message-bar${isOpen ? " open" : ""}`}
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        if (isWhole) onSearch({ ...draft, fields: draft.fields.filter((each) => each.trim() !== "") });
      }}
    >
      <div class="message-line">
        <select class="input message-start" aria-label={t("messages.start")} value={draft.from === "last" ? `last:${draft.last}` : draft.from} onChange={(event) => start(event.currentTarget.value)}>
          <option value="newest">{t("messages.newest")}</option>
          <option value="oldest">{t("messages.oldest")}</option>
          <option value="offset">{t("messages.from_offset")}</option>
          <option value="time">{t("messages.from_time")}</option>
          {[...new Set([...SPANS, ...(draft.last === "" ? [] : [draft.last])])].map((span) => (
            <option key={span} value={`last:${span}`}>
              {t("messages.last", { span: spanText(span) })}
            </option>
          ))}
        </select>
        {draft.from === "offset" && (
          <input class="input number message-offset" inputMode="numeric" value={draft.offset} placeholder="0" aria-label={t("messages.offset")} aria-invalid={!isWhole} onInput={(event) => put({ offset: event.currentTarget.value.trim() })} />
        )}
        {draft.from === "time" && (
          <input
            class="input message-time"
            type="datetime-local"
            step={1}
            value={fieldTime(timeMs(draft.time) ?? Date.now())}
            aria-label={t("messages.time")}
            onChange={(event) => {
              const ms = timeMs(event.currentTarget.value);
              if (ms !== null) choose({ time: new Date(ms).toISOString() });
            }}
          />
        )}
        <Partitions count={partitions} chosen={draft.partitions} onChoose={(chosen) => choose({ partitions: chosen })} />
        <select class="input message-limit" aria-label={t("messages.limit")} value={draft.limit} onChange={(event) => choose({ limit: Number(event.currentTarget.value) })}>
          {[...new Set([...LIMITS, draft.limit])].sort((one, other) => one - other).map((limit) => (
            <option key={limit} value={limit}>
              {limit > LIMIT_MAX ? LIMIT_MAX : t("table.rows", { n: limit })}
            </option>
          ))}
        </select>
        <div class="message-texts">
          {textField("key", t("messages.key_has"))}
          {textField("value", t("messages.value_has"))}
        </div>
        <button type="button" class="button" aria-expanded={isOpen} aria-controls={`${id}-more`} onClick={() => setUnfolded(!isOpen)}>
          {t("messages.filters")}
          {folded > 0 && <span class="tag accent">{exact(folded, language())}</span>}
        </button>
        <button type="submit" class={`button${isChanged ? " main" : ""}`} disabled={!isWhole}>
          <Icon name="search" />
          {t("messages.search")}
        </button>
        <span class="push" />
        {children}
      </div>
      <div id={`${id}-more`} class="message-more" hidden={!isOpen}>
        <div class="field message-where">
          <label for={`${id}-where`}>{t("messages.where")}</label>
          <input
            id={`${id}-where`}
            class="input mono"
            value={draft.where}
            placeholder={'value.amount > 100 and key startswith "order"'}
            autocomplete="off"
            spellcheck={false}
            aria-invalid={wrong !== null}
            aria-describedby={`${id}-wrong`}
            onInput={(event) => put({ where: event.currentTarget.value })}
          />
          <span id={`${id}-wrong`} class={wrong === null ? "hint" : "wrong"} role={wrong === null ? undefined : "alert"}>
            {wrong === null ? t("messages.where_hint") : <Wrong text={search.where} {...wrong} />}
          </span>
        </div>
        <div class="field">
          <span class="label">{t("messages.fields")}</span>
          {[...draft.fields, ""].slice(0, 20).map((field, index) => (
            <input
              key={index}
              class="input mono"
              value={field}
              placeholder="$.customer.name=ana"
              aria-label={t("messages.field_n", { n: index + 1 })}
              autocomplete="off"
              spellcheck={false}
              onInput={(event) => {
                const fields = [...draft.fields];
                fields[index] = event.currentTarget.value;
                put({ fields: fields.filter((each, at) => each !== "" || at < fields.length - 1) });
              }}
            />
          ))}
        </div>
        <div class="field">
          <span class="label">{t("messages.header_has")}</span>
          {textField("header", t("messages.header_has"), "trace-id=4f2a")}
        </div>
        <Choice label={t("messages.key_format")} value={draft.key_format} onChange={(format) => choose({ key_format: format })} />
        <Choice label={t("messages.value_format")} value={draft.value_format} onChange={(format) => choose({ value_format: format })} />
        <label class="check message-isolation">
          <input type="checkbox" checked={draft.isolation === "read_uncommitted"} onChange={(event) => choose({ isolation: event.currentTarget.checked ? "read_uncommitted" : "read_committed" })} />
          {t("messages.uncommitted")}
        </label>
      </div>
    </form>
  );
}

/** The expression again, with the place marked. */
function Wrong({ text, message, position }: { text: string; message: string; position: number }) {
  const at = Math.max(0, Math.min(text.length, position - 1));
  return (
    <>
      {message}
      <code class="message-wrong">
        {text.slice(Math.max(0, at - 30), at)}
        <mark>{text.slice(at, at + 1) || "\u00a0"}</mark>
        {text.slice(at + 1, at + 30)}
      </code>
    </>
  );
}

function Choice({ label, value, onChange }: { label: string; value: string; onChange(value: string): void }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} class="input" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {READ_FORMATS.map((format) => (
          <option key={format} value={format}>
            {formatName(format)}
          </option>
        ))}
      </select>
    </div>
  );
}

function Partitions({ count, chosen, onChoose }: { count: number; chosen: number[] | null; onChoose(chosen: number[] | null): void }) {
  const [text, setText] = useState(chosen?.join(",") ?? "");
  useEffect(() => setText(chosen?.join(",") ?? ""), [chosen?.join(",")]);
  if (count > PICKED_MAX) {
    const read = text.trim() === "" ? null : partitionsOfText(text, count);
    const isWrong = text.trim() !== "" && read === null;
    return (
      <input
        class="input message-partitions"
        value={text}
        placeholder={t("messages.all_partitions")}
        aria-label={t("topics.partitions")}
        title={t("messages.partitions_hint", { last: count - 1 })}
        aria-invalid={isWrong}
        onInput={(event) => setText(event.currentTarget.value)}
        onChange={() => !isWrong && onChoose(read)}
      />
    );
  }
  const label = chosen === null ? t("messages.all_partitions") : chosen.length === 1 ? t("messages.partition_n", { n: String(chosen[0]) }) : t("topics.n_partitions", { n: chosen.length });
  const toggle = (each: number): void => {
    const next = chosen === null ? [each] : chosen.includes(each) ? chosen.filter((one) => one !== each) : [...chosen, each].sort((one, other) => one - other);
    onChoose(next.length === 0 || next.length === count ? null : next);
  };
  return (
    <Menu
      label={`${t("topics.partitions")}: ${label}`}
      className="button message-partitions"
      align="start"
      items={[
        { label: t("messages.all_partitions"), isChecked: chosen === null, onSelect: () => onChoose(null) },
        ...Array.from({ length: count }, (_, each) => ({ label: t("messages.partition_n", { n: String(each) }), isChecked: chosen?.includes(each) ?? false, onSelect: () => toggle(each) })),
      ]}
    >
      {label}
      <Icon name="down" />
    </Menu>
  );
}

const UNITS: Record<string, "second" | "minute" | "hour" | "day"> = { s: "second", m: "minute", h: "hour", d: "day" };

function spanText(span: string): string {
  const unit = UNITS[span.slice(-1)] ?? "second";
  return new Intl.NumberFormat(language(), { style: "unit", unit, unitDisplay: "short" }).format(Number(span.slice(0, -1)));
}
