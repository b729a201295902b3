import { Tabs } from "../../components/Tabs";
import { t } from "../../i18n/text";
import { build } from "../../router";
import { Page } from "../../shell/Page";
import type { ScreenProps } from "../table";
import { AclsTab } from "./AclsTab";
import { QuotasTab } from "./QuotasTab";
import { UsersTab } from "./UsersTab";

const TABS = { acls: AclsTab, users: UsersTab, quotas: QuotasTab };
type TabId = keyof typeof TABS;

export default function SecurityScreen({ cluster, params }: ScreenProps) {
  if (cluster === null) return null;
  const given = params["tab"] ?? "";
  const tab = given in TABS ? (given as TabId) : "acls";
  const Tab = TABS[tab];
  return (
    <Page
      title={t("security.title")}
      isFilled
      tabs={
        <Tabs
          label={t("security.title")}
          current={tab}
          tabs={(Object.keys(TABS) as TabId[]).map((id) => ({ id, title: t(`${id}.title`), href: build("/clusters/:cluster/security/:tab?", { cluster: cluster.id, tab: id }) }))}
        />
      }
    >
      <Tab key={tab} cluster={cluster} />
    </Page>
  );
}
