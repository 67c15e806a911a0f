import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { moveAmongRows } from "../lists/move-among-rows.ts";
import { type Destination, destinations, type NavGroup } from "./navigation.ts";

const SEQUENCE_MS = 1_200;
/** The page's primary action, which the `c` key clicks. */
const CREATE = '.page-actions [data-kind="primary"]';

/**
 * Keyboard shortcuts: `g` plus a letter opens a page, `/` the filter, `c` the primary action, `?`
 * the help.
 */
export function useShortcuts(options: {
  base: string;
  groups: readonly NavGroup[];
  openPalette: () => void;
  openHelp: () => void;
}): void {
  const { base, groups, openPalette, openHelp } = options;
  const navigate = useNavigate();
  useEffect(() => {
    let goingUntil = 0;
    const go = (key: string) => {
      const destination: Destination | undefined = destinations(groups).find(
        (each) => each.go === key,
      );
      if (destination) void navigate({ to: `${base}/${destination.path}`, search: {} } as never);
    };
    const onPlainKey = (event: KeyboardEvent) => {
      if (goingUntil > event.timeStamp) {
        goingUntil = 0;
        go(event.key);
      } else if (event.key === "g") goingUntil = event.timeStamp + SEQUENCE_MS;
      else if (event.key === "?") openHelp();
      else press(event);
    };
    const onKey = (event: KeyboardEvent) => {
      const isCommand = event.metaKey || event.ctrlKey;
      if (isCommand && event.key.toLowerCase() === "k") {
        event.preventDefault();
        openPalette();
      } else if (!isCommand && !event.altKey && !isTyping(event)) onPlainKey(event);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [base, groups, navigate, openPalette, openHelp]);
}

/** `j` and `k` move through the list of the page, wherever the focus is. */
function moveInList(event: KeyboardEvent): boolean {
  const list = document.querySelector<HTMLElement>("main .list-scroll");
  if (!list || (event.key !== "j" && event.key !== "k")) return false;
  if (!list.contains(document.activeElement)) moveAmongRows(list, event);
  return true;
}

function press(event: KeyboardEvent): void {
  if (moveInList(event)) return;
  const target =
    event.key === "/"
      ? document.querySelector<HTMLElement>("[data-filter]")
      : event.key === "c"
        ? document.querySelector<HTMLElement>(CREATE)
        : null;
  if (!target) return;
  event.preventDefault();
  if (event.key === "/") target.focus();
  else target.click();
}

function isTyping(event: KeyboardEvent): boolean {
  const element = event.target as HTMLElement | null;
  if (!element) return false;
  return (
    element.isContentEditable ||
    ["INPUT", "TEXTAREA", "SELECT"].includes(element.tagName) ||
    document.querySelector("dialog[open]") !== null
  );
}
