import { useId, useState } from "preact/hooks";
import { path, send } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import type { Quota, WhoseQuota } from "../../api/quotas";
import { Combobox } from "../../components/Combobox";
import { ActionDialog } from "../../components/Dialog";
import { toast } from "../../components/toasts";
import { t } from "../../i18n/text";
import { alterEntity } from "../alter_command";
import { userNames } from "./names";
import { BYTE_UNITS, changeOf, entitiesOf, fieldOf, kindOf, quotaKey, type QuotaKind, type RateField, type RateKey, RATES, rateOf, whose } from "./rates";
import "./security.css";

export interface QuotaDialogProps {
  cluster: Cluster;
  /** null: a new one. */
  quota: Quota | null;
  all: readonly Quota[];
  onClose(): void;
  onDone(): void;
}

const KINDS: readonly QuotaKind[] = ["user", "client", "both", "ip"];

type RateFields = Record<RateKey, RateField>;

function fieldsOf(quota: Quota | null): RateFields {
  return Object.fromEntries(RATES.map(({ key, unit }) => [key, fieldOf(quota?.rates[key], unit)])) as RateFields;
}

export function QuotaDialog({ cluster, quota, all, onClose, onDone }: QuotaDialogProps) {
  const [kind, setKind] = useState<QuotaKind>(quota === null ? "user" : kindOf(quota));
  const [names, setNames] = useState<WhoseQuota>(quota === null ? { user: "", client_id: "", ip: "" } : whose(quota));
  const [defaults, setDefaults] = useState<Record<keyof WhoseQuota, boolean>>({ user: quota?.user === "", client_id: quota?.client_id === "", ip: quota?.ip === "" });
  const [fields, setFields] = useState<RateFields>(() => fieldsOf(quota));
  const at = path`/clusters/${cluster.id}/quotas`;
  const parts = { user: ["user"], client: ["client_id"], both: ["user", "client_id"], ip: ["ip"] }[kind] as (keyof WhoseQuota)[];
  const nameOf = (part: keyof WhoseQuota): string | null => (!parts.includes(part) ? null : defaults[part] ? "" : names[part]);
  const subject: WhoseQuota = { user: nameOf("user"), client_id: nameOf("client_id"), ip: nameOf("ip") };
  const isWhole = parts.every((part) => defaults[part] || (names[part] ?? "") !== "");
  const shown = RATES.filter((rate) => rate.isOfAddress === (kind === "ip"));
  const rates = shown.map(({ key }) => [key, rateOf(fields[key])] as const);
  const after = Object.fromEntries(rates.flatMap(([key, value]) => (value === undefined || value === null ? [] : [[key, value]])));
  // A new one for whom there is one already changes that one.
  const before = (quota ?? all.find((each) => quotaKey(each) === quotaKey(subject)))?.rates ?? {};
  const change = quota === null ? { set: after, unset: [] } : changeOf(before, after);
  const isReady = isWhole && rates.every(([, value]) => value !== null) && Object.keys(change.set).length + change.unset.length > 0;
  return (
    <ActionDialog
      title={quota === null ? t("quotas.create") : t("quotas.edit")}
      verb={t("action.save")}
      action={{ method: "POST", path: at, body: { ...subject, ...change }, command: alterEntity(cluster, entitiesOf(subject), { set: Object.fromEntries(Object.entries(change.set).map(([key, value]) => [key, String(value)])), unset: change.unset }) }}
      isReady={isReady}
      onClose={onClose}
      onRun={async () => {
        await send("POST", at, { ...subject, ...change });
        onDone();
        const now = Object.fromEntries(Object.entries({ ...before, ...change.set }).filter(([key]) => !change.unset.includes(key)));
        toast({
          text: t("quotas.saved"),
          undo: async () => {
            await send("POST", at, { ...subject, ...changeOf(now, before) });
            onDone();
          },
        });
      }}
    >
      {quota === null && (
        <fieldset class="purpose-ways">
          <legend class="unseen">{t("quotas.whose")}</legend>
          {KINDS.map((each) => (
            <WayField key={each} kind={each} isChosen={kind === each} onChoose={() => setKind(each)} />
          ))}
        </fieldset>
      )}
      <div class="two-columns">
        {parts.map((part) => (
          <NameField
            key={part}
            cluster={cluster}
            part={part}
            value={names[part] ?? ""}
            isDefault={defaults[part]}
            isFixed={quota !== null}
            onChange={(value) => setNames({ ...names, [part]: value })}
            onDefault={(value) => setDefaults({ ...defaults, [part]: value })}
          />
        ))}
      </div>
      <div class="two-columns">
        {shown.map(({ key, unit }) => (
          <RateInput key={key} rate={key} unit={unit} field={fields[key]} onChange={(field) => setFields({ ...fields, [key]: field })} />
        ))}
      </div>
      <p class="soft">{t("quotas.empty_hint")}</p>
    </ActionDialog>
  );
}

function WayField({ kind, isChosen, onChoose }: { kind: QuotaKind; isChosen: boolean; onChoose(): void }) {
  return (
    <label class="check">
      <input type="radio" name="quota-kind" checked={isChosen} onChange={onChoose} />
      {t(`quotas.kind.${kind}`)}
    </label>
  );
}

interface NameFieldProps {
  cluster: Cluster;
  part: keyof WhoseQuota;
  value: string;
  isDefault: boolean;
  isFixed: boolean;
  onChange(value: string): void;
  onDefault(value: boolean): void;
}

function NameField({ cluster, part, value, isDefault, isFixed, onChange, onDefault }: NameFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{t(`quotas.of.${part}`)}</label>
      <Combobox id={id} value={isDefault ? t("quotas.default") : value} options={part === "user" ? userNames(cluster) : []} isDisabled={isDefault || isFixed} onChange={onChange} />
      {!isFixed && (
        <label class="check">
          <input type="checkbox" checked={isDefault} onChange={(event) => onDefault(event.currentTarget.checked)} />
          {t("quotas.default_long")}
        </label>
      )}
    </div>
  );
}

function RateInput({ rate, unit, field, onChange }: { rate: RateKey; unit: (typeof RATES)[number]["unit"]; field: RateField; onChange(field: RateField): void }) {
  const id = useId();
  const isWrong = rateOf(field) === null;
  return (
    <div class="field">
      <label for={id}>{t(`quotas.rate.${rate}`)}</label>
      <div class="rate-field">
        <input id={id} class="input number" inputMode="decimal" value={field.text} placeholder={t("quotas.no_limit")} autocomplete="off" aria-invalid={isWrong} onInput={(event) => onChange({ ...field, text: event.currentTarget.value })} />
        {unit === "bytes" ? (
          <select class="input" aria-label={t("quotas.unit_of", { rate: t(`quotas.rate.${rate}`) })} value={String(field.size)} onChange={(event) => onChange({ ...field, size: Number(event.currentTarget.value) })}>
            {BYTE_UNITS.map((each) => (
              <option key={each.id} value={String(each.size)}>
                {each.id}
              </option>
            ))}
          </select>
        ) : (
          <span class="rate-unit">{unit === "percent" ? "%" : "/s"}</span>
        )}
      </div>
      {isWrong && <span class="wrong">{t("quotas.wrong")}</span>}
    </div>
  );
}

export function DeleteQuotaDialog({ cluster, quota, onClose, onDone }: Omit<QuotaDialogProps, "all"> & { quota: Quota }) {
  const at = path`/clusters/${cluster.id}/quotas`;
  const subject = whose(quota);
  return (
    <ActionDialog
      title={t("quotas.delete")}
      verb={t("action.delete")}
      size="small"
      isDangerous
      action={{ method: "DELETE", path: at, body: subject, command: alterEntity(cluster, entitiesOf(quota), { set: {}, unset: Object.keys(quota.rates) }) }}
      onClose={onClose}
      onRun={async () => {
        await send("DELETE", at, subject);
        onDone();
        toast({
          text: t("quotas.deleted"),
          undo: async () => {
            await send("POST", at, { ...subject, set: quota.rates, unset: [] });
            onDone();
          },
        });
      }}
    >
      <p>{t("quotas.delete_why")}</p>
    </ActionDialog>
  );
}
