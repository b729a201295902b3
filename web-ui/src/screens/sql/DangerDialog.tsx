// Before statements that take something away for good: what they do, and the name to be typed.
import type { Action } from "../../components/CopyAs";
import { ActionDialog, TypedNameDialog } from "../../components/Dialog";
import { t } from "../../i18n/text";
import { type Danger, typedName } from "./danger";

export interface DangerDialogProps {
  dangers: readonly Danger[];
  action: Action;
  onClose(): void;
  onRun(): void;
}

export function DangerDialog({ dangers, onRun, ...rest }: DangerDialogProps) {
  const name = typedName(dangers);
  const props = { ...rest, title: t("sql.danger"), verb: t("sql.run"), size: "medium" as const, onRun: async () => onRun() };
  const told = (
    <ul class="sql-dangers">
      {dangers.map((each, at) => (
        <li key={at}>{t(`sql.danger.${each.kind}`, { name: each.name })}</li>
      ))}
    </ul>
  );
  if (name === "") return <ActionDialog {...props}>{told}</ActionDialog>;
  return (
    <TypedNameDialog {...props} name={name}>
      {told}
    </TypedNameDialog>
  );
}
