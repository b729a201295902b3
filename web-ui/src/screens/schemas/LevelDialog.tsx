import { useId, useState } from "preact/hooks";
import { path, send } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import { LEVELS, type Level, type Subject } from "../../api/schemas";
import { ActionDialog } from "../../components/Dialog";
import { toast } from "../../components/toasts";
import { t } from "../../i18n/text";
import { levelCommand } from "./commands";

export function LevelDialog({ cluster, subject, onClose, onDone }: { cluster: Cluster; subject: Subject; onClose(): void; onDone(): void }) {
  const { own, registry } = subject.compatibility;
  const [level, setLevel] = useState<string | null>(own);
  const name = useId();
  const at = path`/clusters/${cluster.id}/schemas/${subject.subject}/compatibility`;
  const choice = (value: Level | null, title: string, about: string) => (
    <label class="level" key={title}>
      <input type="radio" name={name} checked={level === value} onChange={() => setLevel(value)} />
      <span>
        <span class={value === null ? "" : "mono"}>{title}</span>
        <span class="soft small">{about}</span>
      </span>
    </label>
  );
  return (
    <ActionDialog
      title={t("schema.set_level")}
      verb={t("action.save")}
      action={{ method: "PUT", path: at, body: { level }, command: levelCommand(cluster, subject.subject, level) }}
      isReady={level !== own}
      onClose={onClose}
      onRun={async () => {
        await send("PUT", at, { level });
        onDone();
        toast({
          text: level === null ? t("schema.level_left", { subject: subject.subject }) : t("schema.level_is", { subject: subject.subject, level }),
          undo: async () => {
            await send("PUT", at, { level: own });
            onDone();
          },
        });
      }}
    >
      <p>{t("schema.level_about")}</p>
      <fieldset class="stack tight">
        <legend class="unseen">{t("schemas.compatibility")}</legend>
        {choice(null, t("schema.as_registry"), registry === null ? t("schema.as_registry_unknown") : t("schema.as_registry_now", { level: registry }))}
        {LEVELS.map((each) => choice(each, each, t(`schema.level.${each}`)))}
      </fieldset>
    </ActionDialog>
  );
}
