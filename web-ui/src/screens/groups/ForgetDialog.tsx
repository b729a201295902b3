// Let a group forget where it stands: its consumers start there as their own settings say.
import { useId, useState } from "preact/hooks";
import { path, send } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import type { Group, GroupOffset } from "../../api/groups";
import { ActionDialog } from "../../components/Dialog";
import { toast } from "../../components/toasts";
import { t } from "../../i18n/text";
import { groupTool } from "./group_tool";

export function ForgetDialog({ cluster, group, offset, onClose, onDone }: { cluster: Cluster; group: Group; offset: GroupOffset; onClose(): void; onDone(): void }) {
  const id = useId();
  // A share group forgets whole topics.
  const isShare = group.type === "share";
  const [isWhole, setWhole] = useState(isShare);
  const at = path`/clusters/${cluster.id}/groups/${group.id}/offsets`;
  const body = { topics: { [offset.topic]: isWhole ? null : [offset.partition] } };
  const lost = group.offsets.filter((each) => each.topic === offset.topic && each.committed !== null && (isWhole || each.partition === offset.partition));
  const back = lost.map((each) => ({ topic: each.topic, partition: each.partition, old: null, new: each.committed, change: null }));
  return (
    <ActionDialog
      title={t("forget.title")}
      verb={t("forget.verb")}
      size="small"
      isDangerous
      action={{ method: "DELETE", path: at, body, command: groupTool(cluster, group.type, "--delete-offsets", "--group", group.id, "--topic", isWhole ? offset.topic : `${offset.topic}:${offset.partition}`) }}
      onClose={onClose}
      onRun={async () => {
        await send("DELETE", at, body);
        onDone();
        toast({
          text: t("forget.done", { n: lost.length }),
          undo: async () => {
            await send("POST", at, { rows: back });
            onDone();
          },
        });
      }}
    >
      <p>{t("forget.why")}</p>
      {!isShare && (
        <fieldset class="stack tight">
          <legend class="unseen">{t("forget.what")}</legend>
          <label class="check">
            <input type="radio" name={id} checked={!isWhole} onChange={() => setWhole(false)} />
            {t("forget.partition", { name: `${offset.topic}-${offset.partition}` })}
          </label>
          <label class="check">
            <input type="radio" name={id} checked={isWhole} onChange={() => setWhole(true)} />
            {t("forget.topic", { name: offset.topic })}
          </label>
        </fieldset>
      )}
    </ActionDialog>
  );
}
