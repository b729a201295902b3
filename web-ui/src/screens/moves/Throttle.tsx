// The most that moves may take of the network: typed in when they start, seen and taken away while it is there.
import { useId, useState } from "preact/hooks";
import { path, send } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import { useMay } from "../../api/me";
import type { BrokerThrottle } from "../../api/reassignments";
import { useApi } from "../../api/use_api";
import { ActionDialog } from "../../components/Dialog";
import { Bytes } from "../../components/Quantity";
import { toast } from "../../components/toasts";
import { t } from "../../i18n/text";
import { BYTE_UNITS, type RateField } from "../security/rates";
import { clearCommand } from "./move_commands";

export function ThrottleField({ field, isWrong, onChange }: { field: RateField; isWrong: boolean; onChange(field: RateField): void }) {
  const id = useId();
  return (
    <div class="field">
      <label for={`${id}-throttle`}>{t("moves.throttle")}</label>
      <div class="row tight">
        <input
          id={`${id}-throttle`}
          class="input number move-rate"
          inputMode="decimal"
          value={field.text}
          placeholder={t("moves.no_throttle")}
          autocomplete="off"
          aria-invalid={isWrong}
          title={t("moves.throttle_about")}
          onInput={(event) => onChange({ ...field, text: event.currentTarget.value })}
        />
        <select class="input move-unit" aria-label={t("moves.throttle_unit")} value={String(field.size)} onChange={(event) => onChange({ ...field, size: Number(event.currentTarget.value) })}>
          {BYTE_UNITS.slice(1).map((each) => (
            <option key={each.id} value={String(each.size)}>
              {each.id}
            </option>
          ))}
        </select>
      </div>
    </div>
  );
}

const EVERY_MS = 5000;

/** One line, where some broker has a throttle, whoever has set it. */
export function ThrottleLine({ cluster }: { cluster: Cluster }) {
  const at = path`/clusters/${cluster.id}/reassignments/throttle`;
  const loaded = useApi<BrokerThrottle[]>(at, {}, { everyMs: EVERY_MS });
  const [isAsked, setAsked] = useState(false);
  const may = useMay("admin");
  const found = loaded.data ?? [];
  if (found.length === 0) return null;
  const rates = [...new Set(found.map((each) => each.leader_bytes_per_s ?? each.follower_bytes_per_s))];
  return (
    <div class="row wrap move-throttle">
      <span>
        {t("moves.throttled", { ids: found.map((each) => each.broker).join(", ") })}{" "}
        {rates.map((rate) => (
          <Bytes key={rate} value={rate} per />
        ))}
      </span>
      {may && (
        <button type="button" class="button quiet" onClick={() => setAsked(true)}>
          {t("moves.unthrottle")}
        </button>
      )}
      {isAsked && (
        <ActionDialog
          title={t("moves.unthrottle")}
          verb={t("moves.unthrottle")}
          size="small"
          action={{ method: "DELETE", path: at, command: clearCommand(cluster, found.map((each) => each.broker)) }}
          onClose={() => setAsked(false)}
          onRun={async () => {
            await send("DELETE", at);
            loaded.reload();
            toast({ text: t("moves.unthrottled") });
          }}
        >
          <p>{t("moves.unthrottle_why")}</p>
        </ActionDialog>
      )}
    </div>
  );
}
