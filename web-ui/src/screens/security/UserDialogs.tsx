import { useId, useState } from "preact/hooks";
import { path, send } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import { ITERATIONS_MAX, ITERATIONS_MIN, type Mechanism, MECHANISMS, type NewUser, type ScramUser } from "../../api/users";
import { ActionDialog, TypedNameDialog } from "../../components/Dialog";
import { toast } from "../../components/toasts";
import { t } from "../../i18n/text";
import { build } from "../../router";
import { alterCommand } from "../alter_command";

/** Stands for the password in every command that is copied. */
const PLACEHOLDER = "PASSWORD";

export interface UserDialogProps {
  cluster: Cluster;
  /** null: a new one. */
  user: ScramUser | null;
  onClose(): void;
  onDone(): void;
}

export function UserDialog({ cluster, user, onClose, onDone }: UserDialogProps) {
  const known = user?.credentials.map((each) => each.mechanism) ?? [];
  const [name, setName] = useState(user?.name ?? "");
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const [mechanisms, setMechanisms] = useState<readonly Mechanism[]>(user === null ? ["SCRAM-SHA-512"] : MECHANISMS.filter((each) => known.includes(each)));
  const [iterations, setIterations] = useState(String(Math.max(ITERATIONS_MIN, ...(user?.credentials.map((each) => each.iterations) ?? []))));
  const id = useId();
  const at = path`/clusters/${cluster.id}/users`;
  const body: NewUser = { name, password, mechanisms: [...mechanisms], iterations: Number(iterations) };
  const areIterationsWrong = !/^\d+$/.test(iterations) || Number(iterations) < ITERATIONS_MIN || Number(iterations) > ITERATIONS_MAX;
  const isAgainWrong = again !== "" && again !== password;
  const kept = known.filter((each) => !mechanisms.some((chosen) => chosen === each));
  const commands = mechanisms.map((each) => alterCommand(cluster, "users", name, { set: { [each]: `[iterations=${iterations},password=${PLACEHOLDER}]` }, unset: [] }));
  const toggle = (mechanism: Mechanism): void => setMechanisms(MECHANISMS.filter((each) => (each === mechanism) !== mechanisms.includes(each)));
  return (
    <ActionDialog
      title={user === null ? t("users.create") : t("users.password_of", { name: user.name })}
      verb={user === null ? t("users.create_verb") : t("users.password_verb")}
      action={{ method: "POST", path: at, body: { ...body, password: PLACEHOLDER }, command: commands.join("\n") }}
      isReady={name.trim() !== "" && password !== "" && password === again && mechanisms.length > 0 && !areIterationsWrong}
      onClose={onClose}
      onRun={async () => {
        await send("POST", at, body);
        toast({ text: user === null ? t("users.created", { name }) : t("users.password_changed", { name }) });
        onDone();
      }}
    >
      <div class="field">
        <label for={`${id}-name`}>{t("users.name")}</label>
        <input id={`${id}-name`} class="input mono" value={name} maxLength={200} disabled={user !== null} autocomplete="off" spellcheck={false} onInput={(event) => setName(event.currentTarget.value)} />
        {user === null && <span class="hint">{t("users.name_hint")}</span>}
      </div>
      <div class="two-columns">
        <div class="field">
          <label for={`${id}-password`}>{t("users.password")}</label>
          <input id={`${id}-password`} class="input" type="password" value={password} maxLength={1000} autocomplete="new-password" onInput={(event) => setPassword(event.currentTarget.value)} />
        </div>
        <div class="field">
          <label for={`${id}-again`}>{t("users.again")}</label>
          <input id={`${id}-again`} class="input" type="password" value={again} maxLength={1000} autocomplete="new-password" aria-invalid={isAgainWrong} onInput={(event) => setAgain(event.currentTarget.value)} />
          {isAgainWrong && <span class="wrong">{t("users.again_wrong")}</span>}
        </div>
      </div>
      <div class="two-columns">
        <fieldset class="stack tight">
          <legend>{t("users.mechanisms")}</legend>
          {MECHANISMS.map((each) => (
            <label key={each} class="check">
              <input type="checkbox" checked={mechanisms.includes(each)} onChange={() => toggle(each)} />
              {each}
            </label>
          ))}
        </fieldset>
        <div class="field">
          <label for={`${id}-iterations`}>{t("users.iterations")}</label>
          <input id={`${id}-iterations`} class="input number" type="number" min={ITERATIONS_MIN} max={ITERATIONS_MAX} value={iterations} aria-invalid={areIterationsWrong} onInput={(event) => setIterations(event.currentTarget.value)} />
          <span class={areIterationsWrong ? "wrong" : "hint"}>{t("users.iterations_hint", { least: ITERATIONS_MIN, most: ITERATIONS_MAX })}</span>
        </div>
      </div>
      {kept.length > 0 && <p class="soft">{t("users.kept", { mechanisms: kept.join(", ") })}</p>}
    </ActionDialog>
  );
}

export function DeleteUserDialog({ cluster, user, onClose, onDone }: UserDialogProps & { user: ScramUser }) {
  const at = path`/clusters/${cluster.id}/users/${user.name}`;
  const commands = user.credentials.map((each) => alterCommand(cluster, "users", user.name, { set: {}, unset: [each.mechanism] }));
  return (
    <TypedNameDialog
      title={t("users.delete")}
      verb={t("action.delete")}
      name={user.name}
      action={{ method: "DELETE", path: at, command: commands.join("\n") }}
      onClose={onClose}
      onRun={async () => {
        await send("DELETE", at);
        toast({ text: t("users.deleted", { name: user.name }) });
        onDone();
      }}
    >
      <p>{t("users.delete_why")}</p>
      <p>
        <a href={build("/clusters/:cluster/security/:tab?", { cluster: cluster.id, tab: "acls" }, { q: `User:${user.name}` })}>{t("users.see_acls")}</a>
      </p>
    </TypedNameDialog>
  );
}
