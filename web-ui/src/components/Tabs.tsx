// Tabs that are places: each is a link, so that a tab can be opened beside, sent and gone back to.
import type { ComponentChildren } from "preact";
import "./tabs.css";

export interface Tab {
  id: string;
  title: string;
  href: string;
  /** A count or a mark beside the title. */
  extra?: ComponentChildren;
}

export function Tabs({ label, tabs, current }: { label: string; tabs: readonly Tab[]; current: string }) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <a key={tab.id} href={tab.href} {...(tab.id === current ? { "aria-current": "page" as const } : {})}>
          {tab.title}
          {tab.extra !== undefined && <span class="tab-extra">{tab.extra}</span>}
        </a>
      ))}
    </nav>
  );
}
