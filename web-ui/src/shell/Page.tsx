// The frame of every screen: one bar with where one is and what can be done, and the room below.
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { Icon } from "../components/Icon";
import { visible } from "../format/visible";
import { t } from "../i18n/text";
import { openNav, openPalette } from "./doors";
import { LiveMark } from "./LiveMark";
import "./page.css";

export interface PageProps {
  title: string;
  /** The list that this is one of. */
  above?: { title: string; href: string };
  /** Beside the title: marks, counts. */
  aside?: ComponentChildren;
  actions?: ComponentChildren;
  tabs?: ComponentChildren;
  children: ComponentChildren;
  /** A list that fills the room scrolls by itself; other screens scroll as a whole. */
  isFilled?: boolean;
  asOfMs?: number | null;
  staleReason?: string | null;
}

export function Page({ title, above, aside, actions, tabs, children, isFilled, asOfMs = null, staleReason = null }: PageProps) {
  useEffect(() => {
    document.title = `${visible(title)} · riacho`;
  }, [title]);
  return (
    <main class={`page${isFilled ? " filled" : ""}`} id="main" tabIndex={-1}>
      <header class="page-bar">
        <button type="button" class="button quiet icon page-menu" aria-label={t("nav.open")} onClick={openNav}>
          <Icon name="menu" />
        </button>
        <div class="page-title">
          {above !== undefined && (
            <>
              <a class="page-above" href={above.href} data-key="u">
                {above.title}
              </a>
              <span class="soft page-above" aria-hidden="true">
                /
              </span>
            </>
          )}
          <h1 class="cut" title={title}>
            {title}
          </h1>
          {aside}
        </div>
        <div class="page-actions">{actions}</div>
        <LiveMark asOfMs={asOfMs} staleReason={staleReason} />
        <button type="button" class="button page-search" onClick={openPalette} title={t("palette.open")}>
          <Icon name="search" />
          <span class="soft page-search-word">{t("palette.short")}</span>
          <kbd aria-hidden="true">Ctrl K</kbd>
        </button>
      </header>
      {tabs}
      <div class="page-room">{children}</div>
    </main>
  );
}
