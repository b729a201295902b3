// The door: a name and a password, or the identity provider.
import { useId, useState } from "preact/hooks";
import { loadMe, ROOT, send, sentence } from "../api/client";
import type { Me } from "../api/me";
import { StatusMark } from "../components/StatusMark";
import { t } from "../i18n/text";
import { navigate, usePlace } from "../router";
import { Mark } from "./Mark";
import "./sign_in.css";

export function SignIn({ login, hasPasswords }: { login: Me["login"]; hasPasswords: boolean }) {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const { path, query } = usePlace();
  // The provider sends people back here when it came to nothing.
  const [error, setError] = useState<string | null>(query.has("problem") ? t("sign_in.problem", { code: query.get("problem") ?? "" }) : null);
  const [isRunning, setRunning] = useState(false);
  const id = useId();
  const enter = async (event: Event): Promise<void> => {
    event.preventDefault();
    setRunning(true);
    setError(null);
    try {
      await send("POST", "/login", { name, password });
      await loadMe();
      if (path === "/login") navigate("/", { replace: true });
    } catch (problem) {
      setError(sentence(problem));
      setPassword("");
    } finally {
      setRunning(false);
    }
  };
  return (
    <main class="sign-in">
      <form class="panel sign-in-box" onSubmit={(event) => void enter(event)}>
        <div class="row">
          <Mark />
          <h1>riacho</h1>
        </div>
        {login === "oidc" && (
          <a class="button main" href={`${ROOT}/oidc/start?to=${encodeURIComponent(path === "/login" ? "/" : location.pathname + location.search)}`}>
            {t("sign_in.oidc")}
          </a>
        )}
        {error !== null && (
          <div role="alert">
            <StatusMark status="bad">{error}</StatusMark>
          </div>
        )}
        {hasPasswords && (
          <>
            <div class="field">
              <label for={`${id}-name`}>{t("sign_in.name")}</label>
              <input id={`${id}-name`} class="input" autocomplete="username" required value={name} onInput={(event) => setName(event.currentTarget.value)} />
            </div>
            <div class="field">
              <label for={`${id}-password`}>{t("sign_in.password")}</label>
              <input
                id={`${id}-password`}
                class="input"
                type="password"
                autocomplete="current-password"
                required
                value={password}
                onInput={(event) => setPassword(event.currentTarget.value)}
              />
            </div>
            <button type="submit" class={`button${login === "oidc" ? "" : " main"}`} disabled={isRunning}>
              {t("sign_in.enter")}
            </button>
          </>
        )}
      </form>
    </main>
  );
}
