import { Tabs } from "../../components/Tabs";
import { t } from "../../i18n/text";
import { build } from "../../router";
import { Page } from "../../shell/Page";
import type { ScreenProps } from "../table";
import "./alerts.css";
import { FiringTab } from "./FiringTab";
import { RulesTab } from "./RulesTab";

export default function AlertsScreen({ cluster, params }: ScreenProps) {
  if (cluster === null) return null;
  const tab = params["tab"] === "rules" ? "rules" : "firing";
  const href = (to: string): string => build("/clusters/:cluster/alerts/:tab?", { cluster: cluster.id, tab: to });
  return (
    <Page
      title={t("alerts.title")}
      isFilled
      tabs={
        <Tabs
          label={t("alerts.title")}
          current={tab}
          tabs={[
            { id: "firing", title: t("alerts.firing"), href: href("firing") },
            { id: "rules", title: t("alerts.rules"), href: href("rules") },
          ]}
        />
      }
    >
      {tab === "firing" ? <FiringTab cluster={cluster} /> : <RulesTab cluster={cluster} />}
    </Page>
  );
}
