// The way around: the cluster in view, and its screens in groups.
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { clusters, type Cluster } from "../api/clusters";
import { send } from "../api/client";
import { me } from "../api/me";
import { Icon } from "../components/Icon";
import { Menu } from "../components/Menu";
import { toast } from "../components/toasts";
import { LANGUAGES, language, setLanguage, t } from "../i18n/text";
import { build, match, navigate, usePlace } from "../router";
import { NAV_GROUPS, SCREENS, type Screen } from "../screens/table";
import { useStore } from "../store";
import { setTheme, THEMES, theme } from "../theme";
import { isNavOpen, openKeys } from "./doors";
import { Mark } from "./Mark";
import "./nav.css";

export function isOffered(screen: Screen, cluster: Cluster | null): boolean {
  return screen.needs === undefined || (cluster !== null && [screen.needs].flat().some((part) => cluster.has[part]));
}

/** A screen is current on the pages of its things too. */
function isCurrent(screen: Screen, path: string): boolean {
  const parts = screen.path.split("/").length;
  const start = path.split("/").slice(0, parts).join("/");
  return match(screen.path, path) !== null || (parts > 3 && match(screen.path, start) !== null);
}

export function Nav({ cluster }: { cluster: Cluster | null }) {
  const isOpen = useStore(isNavOpen);
  const { path } = usePlace();
  const links = useRef<HTMLElement>(null);
  useEffect(() => isNavOpen.set(false), [path]);
  const close = (): void => {
    isNavOpen.set(false);
    document.querySelector<HTMLElement>(".page-menu")?.focus();
  };
  // With what is drawn, and not by and by: whoever presses Escape as soon as it is there is heard.
  useLayoutEffect(() => {
    if (!isOpen) return;
    links.current?.querySelector("a")?.focus();
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === "Escape" && document.querySelector("dialog[open]") === null) close();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [isOpen]);
  return (
    <>
      {isOpen && <button type="button" class="nav-shade" aria-label={t("nav.close")} onClick={close} />}
      <aside class={`nav${isOpen ? " open" : ""}`}>
        <a class="nav-brand" href="/">
          <Mark />
          riacho
        </a>
        <ClusterSwitcher current={cluster} />
        <nav aria-label={t("nav.label")} ref={links}>
          {cluster !== null &&
            NAV_GROUPS.map((group) => {
              const shown = SCREENS.filter((screen) => screen.nav?.group === group.id && isOffered(screen, cluster));
              if (shown.length === 0) return null;
              return (
                <div key={group.id} class="nav-group">
                  {group.title !== null && <h2>{t(group.title)}</h2>}
                  <ul>
                    {shown.map((screen) => (
                      <li key={screen.path}>
                        <a href={build(screen.path, { cluster: cluster.id })} {...(isCurrent(screen, path) ? { "aria-current": "page" as const } : {})}>
                          {screen.nav !== undefined && <Icon name={screen.nav.icon} />}
                          {t(screen.title)}
                        </a>
                      </li>
                    ))}
                  </ul>
                </div>
              );
            })}
        </nav>
        <div class="push" />
        <NavFoot />
      </aside>
    </>
  );
}

function ClusterSwitcher({ current }: { current: Cluster | null }) {
  const all = useStore(clusters) ?? [];
  return (
    <Menu
      label={t("nav.clusters")}
      className="nav-cluster"
      align="start"
      items={all.map((each) => ({
        label: each.state === "up" ? each.name : `${each.name} (${t(`cluster.${each.state}`)})`,
        onSelect: () => navigate(build("/clusters/:cluster", { cluster: each.id })),
      }))}
    >
      <ClusterDot cluster={current} />
      <span class="cut push">{current?.name ?? t("nav.no_cluster")}</span>
      <Icon name="down" />
    </Menu>
  );
}

function ClusterDot({ cluster }: { cluster: Cluster | null }) {
  return <span class={`cluster-dot ${cluster?.state ?? "down"}`} style={cluster?.color ? { "--cluster": cluster.color } : {}} />;
}

function NavFoot() {
  const who = useStore(me);
  const chosen = useStore(theme);
  return (
    <div class="nav-foot">
      {who !== null && who.role !== null && (
        <div class="nav-who">
          <span class="cut push" title={who.name ?? ""}>
            {who.login === "none" ? t("me.nobody") : who.name}
          </span>
          <span class="tag">{who.read_only ? t("me.read_only") : t(`role.${who.role}`)}</span>
        </div>
      )}
      <div class="row">
        <Menu
          label={t("theme.label")}
          icon={chosen === "dark" ? "moon" : chosen === "light" ? "sun" : "auto"}
          align="start"
          items={THEMES.map((each) => ({ label: t(`theme.${each}`), isChecked: each === chosen, onSelect: () => setTheme(each) }))}
        />
        <Menu
          label={t("language.label")}
          icon="language"
          align="start"
          items={LANGUAGES.map((each) => ({ label: each.name, isChecked: each.id === language(), onSelect: () => void setLanguage(each.id) }))}
        />
        <button type="button" class="button quiet icon" aria-label={t("keys.title")} title={t("keys.title")} onClick={openKeys}>
          <Icon name="keyboard" />
        </button>
        <span class="push" />
        {who !== null && who.login !== "none" && who.role !== null && (
          <button type="button" class="button quiet icon" aria-label={t("me.leave")} title={t("me.leave")} onClick={() => void leave()}>
            <Icon name="leave" />
          </button>
        )}
      </div>
    </div>
  );
}

async function leave(): Promise<void> {
  try {
    await send("POST", "/logout");
  } catch (error) {
    toast({ text: (error as Error).message, status: "bad" });
    return;
  }
  const who = me.get();
  if (who !== null) me.set({ ...who, role: null, name: null });
}
