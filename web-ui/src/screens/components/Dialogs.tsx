import { useState } from "preact/hooks";
import { ActionDialog, Dialog, TypedNameDialog } from "../../components/Dialog";
import { JsonView } from "../../components/JsonView";
import { t } from "../../i18n/text";
import { ACTION, JSON_TEXT } from "./sample_texts";

export function Dialogs() {
  const [shown, setShown] = useState<string | null>(null);
  const close = (): void => setShown(null);
  return (
    <div class="row wrap">
      {["dialog", "drawer", "action", "typed"].map((each) => (
        <button key={each} type="button" class="button" onClick={() => setShown(each)}>
          {each}
        </button>
      ))}
      {(shown === "dialog" || shown === "drawer") && (
        <Dialog title="Title" onClose={close} isDrawer={shown === "drawer"}>
          <JsonView text={JSON_TEXT} />
        </Dialog>
      )}
      {shown === "action" && (
        <ActionDialog title="An action that is refused" verb="Do it" action={ACTION} onClose={close} onRun={() => Promise.reject(new Error("The broker refused it, and this is why."))}>
          <p>It stays open with the reason.</p>
        </ActionDialog>
      )}
      {shown === "typed" && (
        <TypedNameDialog title="Delete topic" verb={t("action.delete")} name="orders" action={ACTION} onClose={close} onRun={() => Promise.resolve()}>
          <p>This cannot be undone.</p>
        </TypedNameDialog>
      )}
    </div>
  );
}
