import { type ReactNode, useId, useRef } from "react";
import { Icon, type IconName } from "./icons.tsx";

const GAP_PX = 6;

/** A button with a popup menu, placed by the button and closed by any click elsewhere. */
export function Menu(props: {
  /** Accessible name for a trigger without text. */
  label?: string;
  trigger: ReactNode;
  className?: string;
  children: ReactNode;
}) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const placeMenu = () => {
    const from = button.current?.getBoundingClientRect();
    const list = menu.current;
    if (!from || !list) return;
    const width = list.offsetWidth;
    const left = Math.min(from.left, innerWidth - width - GAP_PX);
    list.style.left = `${Math.max(GAP_PX, left)}px`;
    const below = from.bottom + GAP_PX;
    const fits = below + list.offsetHeight < innerHeight;
    list.style.top = `${fits ? below : Math.max(GAP_PX, from.top - GAP_PX - list.offsetHeight)}px`;
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className={props.className ?? "btn"}
        aria-label={props.label}
        aria-haspopup="menu"
        popoverTarget={id}
      >
        {props.trigger}
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        role="menu"
        className="menu"
        onToggle={(event) => {
          if (event.newState !== "open") return;
          placeMenu();
          menu.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
        }}
        onClick={() => menu.current?.hidePopover()}
        onKeyDown={(event) => moveFocus(menu.current, event.key) && event.preventDefault()}
      >
        {props.children}
      </div>
    </>
  );
}

function moveFocus(menu: HTMLElement | null, key: string): boolean {
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (!menu || step === undefined) return false;
  const items = [...menu.querySelectorAll<HTMLElement>("[role=menuitem]")];
  const at = items.indexOf(document.activeElement as HTMLElement);
  items[(at + step + items.length) % items.length]?.focus();
  return true;
}

export function MenuItem(props: {
  icon?: IconName;
  danger?: boolean;
  onSelect: () => void;
  children: ReactNode;
}) {
  return (
    <button
      type="button"
      role="menuitem"
      className="menu-item"
      data-kind={props.danger ? "danger" : undefined}
      onClick={props.onSelect}
    >
      {props.icon && <Icon name={props.icon} />}
      {props.children}
    </button>
  );
}
