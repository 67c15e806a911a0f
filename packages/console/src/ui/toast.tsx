import { useEffect, useState } from "react";
import { Button } from "./button.tsx";
import { Icon } from "./icons.tsx";

/**
 * Confirms an action with an effect out of sight. Errors show beside their cause, never as toasts.
 */
interface Toast {
  readonly id: number;
  readonly text: string;
}

const SHOWN_MS = 5_000;
const TOASTS_MAX = 4;

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<(all: readonly Toast[]) => void>();

function publish(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener(next);
}

export function toast(text: string): void {
  lastId += 1;
  const id = lastId;
  publish([...toasts.slice(1 - TOASTS_MAX), { id, text }]);
  setTimeout(() => dismiss(id), SHOWN_MS);
}

function dismiss(id: number): void {
  publish(toasts.filter((each) => each.id !== id));
}

export function Toasts() {
  const [shown, setShown] = useState(toasts);
  useEffect(() => {
    listeners.add(setShown);
    return () => {
      listeners.delete(setShown);
    };
  }, []);
  return (
    <output className="toasts" aria-live="polite">
      {shown.map((each) => (
        <span key={each.id} className="toast" data-tone="green">
          <Icon name="check" />
          <span className="grow">{each.text}</span>
          <Button
            kind="ghost"
            size="small"
            icon="x"
            aria-label="Dismiss"
            onClick={() => dismiss(each.id)}
          />
        </span>
      ))}
    </output>
  );
}
