// The brokers that may have the replicas afterwards.
import type { BrokerRow } from "../../api/brokers";
import { Bytes } from "../../components/Quantity";
import { t } from "../../i18n/text";

export interface TargetsProps {
  brokers: readonly BrokerRow[];
  /** Those that are there, and are not to be emptied. */
  able: readonly number[];
  chosen: readonly number[];
  onChoose(ids: number[]): void;
}

export function Targets({ brokers, able, chosen, onChoose }: TargetsProps) {
  return (
    <fieldset>
      <legend>{t("moves.to")}</legend>
      <ul class="move-targets">
        {brokers.map((broker) => (
          <li key={broker.id}>
            <label class="check">
              <input
                type="checkbox"
                checked={chosen.includes(broker.id)}
                disabled={!able.includes(broker.id)}
                onChange={(event) => onChoose(event.currentTarget.checked ? [...chosen, broker.id].sort((one, other) => one - other) : chosen.filter((each) => each !== broker.id))}
              />
              <span class="cut">
                {t("broker.name", { id: String(broker.id) })}
                <span class="soft small">
                  {broker.is_fenced ? ` ${t("broker.fenced")}` : broker.rack === null ? "" : ` ${broker.rack}`}
                </span>
              </span>
            </label>
            <span class="soft small move-free">
              {t("broker.disk_free")} <Bytes value={broker.disk_free_bytes} />
            </span>
          </li>
        ))}
      </ul>
    </fieldset>
  );
}
