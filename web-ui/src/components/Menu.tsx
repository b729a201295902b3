// A button with a list of actions below it, by the popover that browsers have.
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Icon, type IconName } from "./Icon";
import "./menu.css";

export interface MenuItem {
  label: string;
  icon?: IconName;
  isDangerous?: boolean;
  isChecked?: boolean;
  isDisabled?: boolean;
  /** Below the label: why it cannot be chosen. */
  about?: string;
  onSelect(): void;
}

export interface MenuProps {
  label: string;
  icon?: IconName;
  /** Shown in place of the icon; the label is read out after it. */
  children?: ComponentChildren;
  items: readonly MenuItem[];
  className?: string;
  align?: "start" | "end";
}

export function Menu({ label, icon = "more", children, items, className = "button quiet icon", align = "end" }: MenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const menu = list.current;
    if (menu === null) return;
    const place = (event: Event): void => {
      if ((event as ToggleEvent).newState === "open") attach(menu, button.current, align);
    };
    const opened = (event: Event): void => {
      if ((event as ToggleEvent).newState === "open") menu.querySelector<HTMLElement>("button:not(:disabled)")?.focus();
    };
    menu.addEventListener("beforetoggle", place);
    menu.addEventListener("toggle", opened);
    return () => {
      menu.removeEventListener("beforetoggle", place);
      menu.removeEventListener("toggle", opened);
    };
  }, [align]);

  const move = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const all = [...(list.current?.querySelectorAll<HTMLElement>("button:not(:disabled)") ?? [])];
    const at = all.indexOf(document.activeElement as HTMLElement);
    all[(at + step + all.length) % all.length]?.focus();
  };

  return (
    <>
      <button ref={button} type="button" class={className} popovertarget={id} aria-haspopup="menu" title={label}>
        {children ?? <Icon name={icon} />}
        <span class="unseen">{label}</span>
      </button>
      <div ref={list} id={id} popover="auto" class="menu" role="menu" aria-label={label} onKeyDown={move}>
        {items.map((item) => (
          <button
            key={item.label}
            type="button"
            role={item.isChecked === undefined ? "menuitem" : "menuitemcheckbox"}
            {...(item.isChecked === undefined ? {} : { "aria-checked": item.isChecked })}
            disabled={item.isDisabled ?? false}
            class={`menu-item${item.isDangerous ? " dangerous" : ""}${item.isChecked ? " checked" : ""}`}
            onClick={() => {
              if (item.isChecked === undefined) list.current?.hidePopover();
              item.onSelect();
            }}
          >
            {item.icon !== undefined && <Icon name={item.icon} />}
            {item.about === undefined ? (
              item.label
            ) : (
              <span>
                {item.label}
                <span class="menu-about">{item.about}</span>
              </span>
            )}
          </button>
        ))}
      </div>
    </>
  );
}

/** Below its button where there is room, else above; never out of the window. */
export function attach(menu: HTMLElement, button: HTMLElement | null, align: "start" | "end"): void {
  if (button === null) return;
  const at = button.getBoundingClientRect();
  menu.style.setProperty("top", `${Math.round(at.bottom + 4)}px`);
  menu.style.setProperty("left", `${Math.round(at.left)}px`);
  requestAnimationFrame(() => {
    const size = menu.getBoundingClientRect();
    const left = align === "end" ? at.right - size.width : at.left;
    const top = at.bottom + 4 + size.height > innerHeight - 4 ? Math.max(4, at.top - 4 - size.height) : at.bottom + 4;
    menu.style.setProperty("left", `${Math.round(Math.max(4, Math.min(left, innerWidth - size.width - 4)))}px`);
    menu.style.setProperty("top", `${Math.round(top)}px`);
  });
}
