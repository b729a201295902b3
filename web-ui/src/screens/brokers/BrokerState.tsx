import type { BrokerRow } from "../../api/brokers";
import { StatusMark } from "../../components/StatusMark";
import { t } from "../../i18n/text";

export function BrokerState({ broker }: { broker: Pick<BrokerRow, "is_fenced" | "is_controller"> }) {
  return (
    <span class="row">
      <StatusMark status={broker.is_fenced ? "bad" : "good"} isQuiet>
        {broker.is_fenced ? t("broker.fenced") : t("broker.online")}
      </StatusMark>
      {broker.is_controller && <span class="tag accent">{t("broker.controller")}</span>}
    </span>
  );
}
