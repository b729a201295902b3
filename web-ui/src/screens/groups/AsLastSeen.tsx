// Above a group whose coordinator does not tell of it: why, and how old is what is shown.
import type { Group } from "../../api/groups";
import { RelativeTime } from "../../components/RelativeTime";
import { StatusMark } from "../../components/StatusMark";
import { t } from "../../i18n/text";
import { isAsLastSeen } from "./group_rows";

export function AsLastSeen({ group }: { group: Group }) {
  if (!isAsLastSeen(group)) return null;
  return (
    <p class="group-as-seen" role="status">
      <StatusMark status="warning">{t("group.as_seen")}</StatusMark>
      <RelativeTime ms={group.as_of_ms} />
      <span class="soft">{group.stale_reason}</span>
    </p>
  );
}
