// What can be done to a connector as a whole.
import { useId, useState } from "preact/hooks";
import { path, send } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import type { Connector } from "../../api/connectors";
import { ActionDialog, TypedNameDialog } from "../../components/Dialog";
import { toast } from "../../components/toasts";
import { t } from "../../i18n/text";
import { build, navigate } from "../../router";
import { pipelineCommand, type Restart, RESTARTS, restartCommand } from "./commands";
import { LIST } from "./links";

export type ConnectorAction = "pause" | "resume" | "stop" | "restart" | "delete";

interface DialogProps {
  cluster: Cluster;
  connector: Connector;
  onClose(): void;
  onDone(): void;
}

export function ConnectorDialog({ action, ...props }: DialogProps & { action: ConnectorAction }) {
  if (action === "restart") return <RestartDialog {...props} />;
  if (action === "delete") return <DeleteDialog {...props} />;
  return <StateDialog {...props} verb={action} />;
}

/** The way back from each. */
const UNDO: Record<string, "pause" | "resume" | "stop"> = { RUNNING: "resume", PAUSED: "pause", STOPPED: "stop" };

function StateDialog({ cluster, connector, verb, onClose, onDone }: DialogProps & { verb: "pause" | "resume" | "stop" }) {
  const at = (what: string): string => path`/clusters/${cluster.id}/connectors/${connector.name}/${what}`;
  const back = UNDO[connector.state];
  return (
    <ActionDialog
      title={t(`connector.${verb}`)}
      verb={t(`connector.${verb}`)}
      size="small"
      action={{ method: "POST", path: at(verb), command: pipelineCommand(cluster, verb, connector.name) }}
      onClose={onClose}
      onRun={async () => {
        await send("POST", at(verb));
        onDone();
        toast({
          text: t(`connector.${verb}_done`, { name: connector.name }),
          ...(back === undefined || back === verb
            ? {}
            : {
                undo: async () => {
                  await send("POST", at(back));
                  onDone();
                },
              }),
        });
      }}
    >
      <p>{t(`connector.${verb}_why`)}</p>
    </ActionDialog>
  );
}

function RestartDialog({ cluster, connector, onClose, onDone }: DialogProps) {
  const hasFailed = connector.state === "FAILED" || connector.tasks.some((task) => task.state === "FAILED");
  const [way, setWay] = useState<Restart>(hasFailed ? "failed" : "all");
  const id = useId();
  const at = path`/clusters/${cluster.id}/connectors/${connector.name}/restart`;
  const body = { include_tasks: way !== "alone", only_failed: way === "failed" };
  return (
    <ActionDialog
      title={t("connector.restart")}
      verb={t("connector.restart")}
      size="small"
      action={{ method: "POST", path: at, body, command: restartCommand(cluster, connector.name, way) }}
      onClose={onClose}
      onRun={async () => {
        await send("POST", at, body);
        toast({ text: t("connector.restart_done", { name: connector.name }) });
        onDone();
      }}
    >
      <fieldset class="stack tight">
        <legend>{t("connector.restart_what")}</legend>
        {RESTARTS.map((each) => (
          <label key={each} class="check">
            <input type="radio" name={`${id}-way`} checked={way === each} onChange={() => setWay(each)} />
            {t(`connector.restart.${each}`)}
          </label>
        ))}
      </fieldset>
    </ActionDialog>
  );
}

function DeleteDialog({ cluster, connector, onClose }: DialogProps) {
  const at = path`/clusters/${cluster.id}/connectors/${connector.name}`;
  return (
    <TypedNameDialog
      title={t("connector.delete")}
      verb={t("action.delete")}
      name={connector.name}
      action={{ method: "DELETE", path: at, command: pipelineCommand(cluster, "delete", connector.name, "--yes") }}
      onClose={onClose}
      onRun={async () => {
        await send("DELETE", at);
        toast({ text: t("connector.deleted", { name: connector.name }) });
        navigate(build(LIST, { cluster: cluster.id }));
      }}
    >
      <p>{t("connector.delete_why")}</p>
    </TypedNameDialog>
  );
}
