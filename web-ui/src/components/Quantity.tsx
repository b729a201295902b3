// Numbers with units. What is not known is a dash and says so; it is never 0.
import { bytes, count, duration, exact, type Quantity } from "../format/quantity";
import { language, t } from "../i18n/text";
import "./quantity.css";

type Maybe = number | null | undefined;

export function Unknown() {
  return (
    <span class="quantity unknown" title={t("value.unknown")}>
      <span aria-hidden="true">–</span>
      <span class="unseen">{t("value.unknown")}</span>
    </span>
  );
}

function Shown({ quantity, title, per, kind }: { quantity: Quantity; title: string; per?: boolean; kind: "count" | "bytes" }) {
  return (
    <span class="quantity" title={title}>
      {quantity.number}
      <span class={`unit ${kind}${per ? " per" : ""}`}>
        {quantity.unit}
        {per && "/s"}
      </span>
    </span>
  );
}

export function Count({ value, per }: { value: Maybe; per?: boolean }) {
  if (value === null || value === undefined) return <Unknown />;
  return <Shown quantity={count(value, language())} title={exact(value, language()) + (per ? "/s" : "")} kind="count" {...(per ? { per } : {})} />;
}

export function Bytes({ value, per }: { value: Maybe; per?: boolean }) {
  if (value === null || value === undefined) return <Unknown />;
  return <Shown quantity={bytes(value, language())} title={`${exact(value, language())} B${per ? "/s" : ""}`} kind="bytes" {...(per ? { per } : {})} />;
}

/** An offset, a partition, an id: every digit counts. */
export function Exact({ value }: { value: Maybe }) {
  if (value === null || value === undefined) return <Unknown />;
  return <span class="quantity">{exact(value, language())}</span>;
}

export function Duration({ ms }: { ms: Maybe }) {
  if (ms === null || ms === undefined) return <Unknown />;
  if (ms < 0) return <span class="quantity">{t("value.for_ever")}</span>;
  return (
    <span class="quantity" title={`${exact(ms, language())} ms`}>
      {duration(ms, language())}
    </span>
  );
}
