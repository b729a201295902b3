import { useState } from "preact/hooks";
import { path, send } from "../../api/client";
import type { Group } from "../../api/groups";
import { useMay } from "../../api/me";
import { useApi } from "../../api/use_api";
import { TypedNameDialog } from "../../components/Dialog";
import { ErrorState } from "../../components/EmptyState";
import { Facts } from "../../components/Facts";
import { Icon } from "../../components/Icon";
import { useFlag } from "../../components/list_state";
import { Menu } from "../../components/Menu";
import { Count, Exact } from "../../components/Quantity";
import { Skeleton } from "../../components/Skeleton";
import { Tabs } from "../../components/Tabs";
import { toast } from "../../components/toasts";
import { t } from "../../i18n/text";
import { build, navigate } from "../../router";
import { Page } from "../../shell/Page";
import { type ChartPlan, Charts } from "../metrics/Charts";
import type { ScreenProps } from "../table";
import { AsLastSeen } from "./AsLastSeen";
import { isAsLastSeen, offsetRows } from "./group_rows";
import { GroupState } from "./GroupState";
import "./groups.css";
import { groupTool } from "./group_tool";
import { MembersTab } from "./MembersTab";
import { OffsetsTab } from "./OffsetsTab";
import { ResetDialog } from "./ResetDialog";

const EVERY_MS = 4000;
const LAG: readonly ChartPlan[] = [{ title: "metrics.lag", unit: "count", series: [{ name: "group_lag", title: "metrics.lag" }] }];

export default function GroupScreen({ cluster, params }: ScreenProps) {
  const id = params["group"] ?? "";
  const loaded = useApi<Group>(cluster === null ? null : path`/clusters/${cluster.id}/groups/${id}`, {}, { everyMs: EVERY_MS });
  const [isResetting, setResetting] = useFlag("reset");
  const [isDeleting, setDeleting] = useState(false);
  const mayReset = useMay("operator");
  const mayDelete = useMay("admin");
  if (cluster === null) return null;
  const group = loaded.data;
  const tab = params["tab"] === "members" || params["tab"] === "history" ? params["tab"] : "offsets";
  const href = (to: string): string => build("/clusters/:cluster/groups/:group/:tab?", { cluster: cluster.id, group: id, tab: to });
  const at = path`/clusters/${cluster.id}/groups/${id}`;
  return (
    <Page
      title={id}
      above={{ title: t("groups.title"), href: build("/clusters/:cluster/groups", { cluster: cluster.id }) }}
      isFilled
      asOfMs={group?.as_of_ms ?? null}
      staleReason={group?.stale_reason ?? null}
      actions={
        group !== null && (
          <>
            {mayReset && (
              <button type="button" class="button" data-key="r" onClick={() => setResetting(true)}>
                <Icon name="undo" />
                <span class="word">{t("group.reset")}</span>
              </button>
            )}
            {mayDelete && <Menu label={t("group.actions")} items={[{ label: t("group.delete"), icon: "trash", isDangerous: true, onSelect: () => setDeleting(true) }]} />}
          </>
        )
      }
      tabs={
        <>
          <GroupFacts group={group} />
          <Tabs
            label={t("group.tabs")}
            current={tab}
            tabs={[
              { id: "offsets", title: t("group.offsets"), href: href("offsets"), ...(group === null ? {} : { extra: offsetRows(group).length }) },
              { id: "members", title: t("group.members"), href: href("members"), ...(group === null || group.member_count === null ? {} : { extra: group.member_count }) },
              { id: "history", title: t("metrics.history"), href: href("history") },
            ]}
          />
        </>
      }
    >
      {group !== null && <AsLastSeen group={group} />}
      {group === null && loaded.error !== null && <ErrorState error={loaded.error} onRetry={loaded.reload} />}
      {group === null && loaded.error === null && <Skeleton isShown={loaded.isSlow} />}
      {group !== null && tab === "offsets" && <OffsetsTab cluster={cluster} group={group} onChanged={loaded.reload} />}
      {group !== null && tab === "members" && <MembersTab group={group} />}
      {group !== null && tab === "history" && (
        <div class="tab-room">
          <Charts clusterId={cluster.id} plans={LAG} labels={{ group: id }} unknownNote={t("group.unfollowed")} />
        </div>
      )}
      {isResetting && group !== null && mayReset && <ResetDialog cluster={cluster} group={group} onClose={() => setResetting(false)} onDone={loaded.reload} />}
      {isDeleting && group !== null && (
        <TypedNameDialog
          title={t("group.delete")}
          verb={t("action.delete")}
          name={id}
          action={{ method: "DELETE", path: at, command: groupTool(cluster, group.type, "--delete", "--group", id) }}
          onClose={() => setDeleting(false)}
          onRun={async () => {
            await send("DELETE", at);
            toast({ text: t("group.deleted", { id }) });
            navigate(build("/clusters/:cluster/groups", { cluster: cluster.id }));
          }}
        >
          <p>{t("group.delete_why")}</p>
        </TypedNameDialog>
      )}
    </Page>
  );
}

function GroupFacts({ group }: { group: Group | null }) {
  return (
    <Facts
      facts={[
        [t("groups.state"), group && <GroupState state={group.state} isOld={isAsLastSeen(group)} />],
        [t("groups.type"), group && t(`group.type.${group.type}`)],
        [t("groups.members"), group && <Count value={group.member_count} />],
        [t("groups.lag"), group && <Count value={group.lag} />],
        [t("groups.coordinator"), group && <Exact value={group.coordinator} />],
        [t("groups.protocol"), group && (group.protocol ?? "–")],
      ]}
    />
  );
}
