// Everything on the page: who may come in, which cluster, which screen, and what lies over it.
import { useEffect, useErrorBoundary, useRef, useState } from "preact/hooks";
import { ApiError, loadMe } from "../api/client";
import { clusters, loadClusters, useCluster } from "../api/clusters";
import { useLiveStream } from "../api/live";
import { me } from "../api/me";
import { EmptyState, ErrorState } from "../components/EmptyState";
import { Toasts } from "../components/Toasts";
import { t, useLanguage } from "../i18n/text";
import { keep, kept } from "../kept";
import { build, match, navigate, type Params, usePlace } from "../router";
import { SCREENS } from "../screens/table";
import { useStore } from "../store";
import "./app.css";
import { startKeys } from "./keys";
import { LazyScreen } from "./LazyScreen";
import { Nav } from "./Nav";
import { Over } from "./Over";
import { Page } from "./Page";
import { SignIn } from "./SignIn";

const CLUSTERS_EVERY_MS = 10_000;
const ME_AGAIN_MS = 3000;

export function App() {
  useLanguage();
  const { path } = usePlace();
  const who = useStore(me);
  const all = useStore(clusters);
  const [error, setError] = useState<unknown>(null);
  const [broken, forgive] = useErrorBoundary();
  const found = find(path);
  const clusterId = found?.params["cluster"] ?? (all === null ? null : usual(all.map((each) => each.id)));
  const cluster = useCluster(clusterId);
  const isIn = who !== null && who.role !== null;

  useEffect(() => startUp(setError), []);
  useEffect(() => (isIn ? keepClusters(setError) : undefined), [isIn]);
  useEffect(() => startKeys(() => currentCluster), []);
  useLiveStream(isIn && cluster !== null ? cluster.id : null);
  const before = useRef<string | null>(null);
  useEffect(() => {
    forgive();
    // A page that has just been opened begins at its top, where the way past the navigation is.
    const isOpened = before.current === null || before.current === "/";
    before.current = path;
    if (isOpened) return;
    // What was clicked is gone with its page: the keyboard goes on in the new one, not at the top of the navigation.
    if (document.activeElement === document.body || document.activeElement === null) document.getElementById("main")?.focus({ preventScroll: true });
  }, [path]);
  currentCluster = cluster?.id ?? null;
  useEffect(() => {
    if (found?.params["cluster"] !== undefined && cluster !== null) keep("cluster", cluster.id);
  }, [found?.params["cluster"], cluster?.id]);
  useEffect(() => {
    const first = all === null ? null : usual(all.map((each) => each.id));
    if (path === "/" && first !== null) navigate(build("/clusters/:cluster", { cluster: first }), { replace: true });
  }, [path, all]);

  if (who !== null && who.role === null) return <SignIn login={who.login} hasPasswords={who.login !== "oidc" || (who.has_passwords ?? false)} />;
  return (
    <div class="app">
      <a class="skip" href="#main">
        {t("nav.skip")}
      </a>
      <Nav cluster={cluster} />
      {content()}
      <Over cluster={cluster} />
      <Toasts />
    </div>
  );

  function content() {
    if (broken) return problem(broken);
    if (error !== null && (who === null || all === null)) return problem(error);
    if (who === null || all === null) return <Page title="riacho">{null}</Page>;
    if (path === "/" && all.length > 0) return <Page title="riacho">{null}</Page>;
    if (all.length === 0 && path !== "/components") {
      return (
        <Page title="riacho">
          <EmptyState title={t("cluster.none")} command="riacho up">
            {t("cluster.none_how")}
          </EmptyState>
        </Page>
      );
    }
    if (found === null || (found.params["cluster"] !== undefined && cluster === null)) {
      return (
        <Page title={t("error.no_page")}>
          <EmptyState title={t("error.no_page")} action={<a href="/">{t("error.home")}</a>}>
            {t("error.no_page_why")}
          </EmptyState>
        </Page>
      );
    }
    return <LazyScreen screen={found.screen} params={found.params} cluster={cluster} />;
  }

  function problem(what: unknown) {
    return (
      <Page title={t("error.title")}>
        <ErrorState error={what} onRetry={() => location.reload()} />
      </Page>
    );
  }
}

let currentCluster: string | null = null;

function find(path: string): { screen: (typeof SCREENS)[number]; params: Params } | null {
  for (const screen of SCREENS) {
    const params = match(screen.path, path);
    if (params !== null) return { screen, params };
  }
  return null;
}

/** The one that was seen last, else the first. */
function usual(ids: readonly string[]): string | null {
  const last = kept("cluster");
  return ids.find((id) => id === last) ?? ids[0] ?? null;
}

function startUp(setError: (error: unknown) => void): () => void {
  let isGone = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ask = async (): Promise<void> => {
    try {
      await loadMe();
      setError(null);
    } catch (error) {
      if (isGone) return;
      if (error instanceof ApiError && error.status === 401) {
        me.set({ name: null, role: null, login: "local", csrf: null, read_only: false, version: "", language: null, has_passwords: true });
        return;
      }
      setError(error);
      timer = setTimeout(() => void ask(), ME_AGAIN_MS);
    }
  };
  void ask();
  return () => {
    isGone = true;
    clearTimeout(timer);
  };
}

function keepClusters(setError: (error: unknown) => void): () => void {
  const ask = (): void => {
    if (document.visibilityState === "visible") loadClusters().then(() => setError(null), setError);
  };
  ask();
  const timer = setInterval(ask, CLUSTERS_EVERY_MS);
  return () => clearInterval(timer);
}
