// What can be done to a topic, from its page and from the list.
import type { MenuItem } from "../../components/Menu";
import { t } from "../../i18n/text";
import { CloneDialog, DeleteDialog, PartitionsDialog, PurgeDialog, type TopicDialogProps } from "./topic_dialogs";

const DIALOGS = { partitions: PartitionsDialog, clone: CloneDialog, purge: PurgeDialog, delete: DeleteDialog };
export type TopicAction = keyof typeof DIALOGS;

export function topicActions(onChoose: (action: TopicAction) => void): MenuItem[] {
  return [
    { label: t("topic.add_partitions"), icon: "plus", onSelect: () => onChoose("partitions") },
    { label: t("topic.clone"), icon: "copy", onSelect: () => onChoose("clone") },
    { label: t("topic.purge"), icon: "undo", isDangerous: true, onSelect: () => onChoose("purge") },
    { label: t("topic.delete"), icon: "trash", isDangerous: true, onSelect: () => onChoose("delete") },
  ];
}

export function TopicDialog({ action, ...rest }: TopicDialogProps & { action: TopicAction }) {
  const Dialog = DIALOGS[action];
  return <Dialog {...rest} />;
}
