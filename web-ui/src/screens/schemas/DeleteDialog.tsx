import { path, send } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import { TypedNameDialog } from "../../components/Dialog";
import { toast } from "../../components/toasts";
import { t } from "../../i18n/text";
import { navigate } from "../../router";
import { deleteCommand } from "./commands";
import { listHref } from "./hrefs";

export interface DeleteDialogProps {
  cluster: Cluster;
  subject: string;
  /** null: all of the subject. */
  version: number | null;
  /** With its last version a subject goes too. */
  isLast?: boolean;
  onClose(): void;
  onDone(): void;
}

export function DeleteDialog({ cluster, subject, version, isLast = false, onClose, onDone }: DeleteDialogProps) {
  const one = path`/clusters/${cluster.id}/schemas/${subject}`;
  const at = version === null ? one : `${one}/versions/${version}`;
  const isGone = version === null || isLast;
  return (
    <TypedNameDialog
      title={version === null ? t("schema.delete") : t("schema.delete_n", { version: String(version) })}
      verb={t("action.delete")}
      name={subject}
      action={{ method: "DELETE", path: at, command: deleteCommand(cluster, subject, version) }}
      onClose={onClose}
      onRun={async () => {
        await send("DELETE", at);
        toast({ text: version === null ? t("schema.deleted", { subject }) : t("schema.version_deleted", { subject, version: String(version) }) });
        if (isGone) navigate(listHref(cluster.id));
        else onDone();
      }}
    >
      <p>{isGone ? t("schema.delete_why") : t("schema.delete_version_why")}</p>
    </TypedNameDialog>
  );
}
