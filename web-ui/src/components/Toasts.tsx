import { sentence } from "../api/client";
import { t } from "../i18n/text";
import { useStore } from "../store";
import { Icon } from "./Icon";
import { StatusMark } from "./StatusMark";
import "./toasts.css";
import { dismiss, type Toast, toast, toasts } from "./toasts";

export function Toasts() {
  const shown = useStore(toasts);
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.map((each) => (
        <ToastCard key={each.id} toast={each} />
      ))}
    </div>
  );
}

export function ToastCard({ toast: shown }: { toast: Toast }) {
  const undo = async (): Promise<void> => {
    dismiss(shown.id);
    try {
      await shown.undo?.();
      toast({ text: t("toast.undone") });
    } catch (error) {
      toast({ text: sentence(error), status: "bad" });
    }
  };
  return (
    <div class={`toast ${shown.status}`}>
      <StatusMark status={shown.status} />
      <span class="toast-text">{shown.text}</span>
      {shown.undo !== null && (
        <button type="button" class="button quiet" onClick={() => void undo()}>
          <Icon name="undo" />
          {t("action.undo")}
        </button>
      )}
      <button type="button" class="button quiet icon" aria-label={t("action.close")} onClick={() => dismiss(shown.id)}>
        <Icon name="close" />
      </button>
    </div>
  );
}
