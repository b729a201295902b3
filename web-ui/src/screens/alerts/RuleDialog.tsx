import { useId, useState } from "preact/hooks";
import type { AlertKind, AlertRule, AlertSettings } from "../../api/alerts";
import type { Cluster } from "../../api/clusters";
import { ActionDialog } from "../../components/Dialog";
import { t } from "../../i18n/text";
import { setCommand } from "./commands";
import { HAS_NUMBER, HAS_TARGET, newRule } from "./kinds";

export interface RuleDialogProps {
  cluster: Cluster;
  /** null: a new one. */
  rule: AlertRule | null;
  settings: AlertSettings;
  /** Where all rules go, with the change in them. */
  path: string;
  onSave(rules: AlertRule[]): Promise<void>;
  onClose(): void;
}

export function RuleDialog({ cluster, rule, settings, path, onSave, onClose }: RuleDialogProps) {
  const [form, setForm] = useState<AlertRule>(rule ?? newRule("lag"));
  const [above, setAbove] = useState(String(form.above));
  const [lasting, setLasting] = useState(String(form.for_s));
  const id = useId();
  const others = settings.rules.filter((each) => each !== rule);
  const isTaken = others.some((each) => each.name === form.name);
  const next: AlertRule = { ...form, above: HAS_NUMBER[form.kind] ? Number(above) : 0, for_s: Number(lasting), target: HAS_TARGET[form.kind] ? form.target : "" };
  const rules = rule === null ? [...settings.rules, next] : settings.rules.map((each) => (each === rule ? next : each));
  const isReady = form.name.trim() !== "" && !isTaken && /^\d+(\.\d+)?$/.test(above) && /^\d+$/.test(lasting) && Number(lasting) <= 86_400;
  const setKind = (kind: AlertKind): void => {
    setForm({ ...form, kind });
    setAbove(String(newRule(kind).above));
  };
  return (
    <ActionDialog title={rule === null ? t("alerts.add") : t("alerts.edit")} verb={t("action.save")} action={{ method: "PUT", path, body: { rules }, command: setCommand(cluster, next, rule?.name ?? null) }} isReady={isReady} onClose={onClose} onRun={() => onSave(rules)}>
      <div class="field">
        <label for={`${id}-name`}>{t("alerts.name")}</label>
        <input id={`${id}-name`} class="input" maxLength={200} value={form.name} autocomplete="off" aria-invalid={isTaken} onInput={(event) => setForm({ ...form, name: event.currentTarget.value })} />
        {isTaken && <span class="wrong">{t("alerts.name_taken")}</span>}
      </div>
      <div class="two-columns">
        <div class="field">
          <label for={`${id}-kind`}>{t("alerts.kind")}</label>
          <select id={`${id}-kind`} class="input" value={form.kind} onChange={(event) => setKind(event.currentTarget.value as AlertKind)}>
            {settings.kinds.map((kind) => (
              <option key={kind} value={kind}>
                {t(`alerts.kind.${kind}`)}
              </option>
            ))}
          </select>
        </div>
        {HAS_NUMBER[form.kind] && (
          <div class="field">
            <label for={`${id}-above`}>{form.kind === "disk" ? t("alerts.above_percent") : t("alerts.above_label")}</label>
            <input id={`${id}-above`} class="input number" type="number" min={0} step="any" value={above} onInput={(event) => setAbove(event.currentTarget.value)} />
          </div>
        )}
        <div class="field">
          <label for={`${id}-for`}>{t("alerts.for_label")}</label>
          <input id={`${id}-for`} class="input number" type="number" min={0} max={86_400} step={1} value={lasting} aria-describedby={`${id}-for-hint`} onInput={(event) => setLasting(event.currentTarget.value)} />
          <span id={`${id}-for-hint`} class="hint">{t("alerts.for_hint")}</span>
        </div>
        {HAS_TARGET[form.kind] && (
          <div class="field">
            <label for={`${id}-target`}>{t("alerts.target")}</label>
            <input id={`${id}-target`} class="input mono" maxLength={300} value={form.target} placeholder={t("alerts.any")} autocomplete="off" spellcheck={false} aria-describedby={`${id}-target-hint`} onInput={(event) => setForm({ ...form, target: event.currentTarget.value })} />
            <span id={`${id}-target-hint`} class="hint">{t("alerts.target_hint")}</span>
          </div>
        )}
        <div class="field">
          <label for={`${id}-webhook`}>{t("alerts.webhook")}</label>
          <select id={`${id}-webhook`} class="input" value={form.webhook ?? ""} disabled={settings.webhooks.length === 0} onChange={(event) => setForm({ ...form, webhook: event.currentTarget.value === "" ? null : event.currentTarget.value })}>
            <option value="">{t("alerts.no_webhook")}</option>
            {settings.webhooks.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </div>
      </div>
      <label class="check">
        <input type="checkbox" checked={form.is_on} onChange={(event) => setForm({ ...form, is_on: event.currentTarget.checked })} />
        {t("alerts.is_on")}
      </label>
    </ActionDialog>
  );
}
