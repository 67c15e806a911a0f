import { useSyncExternalStore } from "react";
import { readStored, writeStored } from "../storage.ts";
import { Button } from "../ui/button.tsx";

export type ThemeChoice = "system" | "light" | "dark";

const listeners = new Set<() => void>();

export function themeChoice(): ThemeChoice {
  const stored = readStored(localStorage, "theme");
  return stored === "light" || stored === "dark" ? stored : "system";
}

export function currentTheme(): "light" | "dark" {
  return document.documentElement.dataset["theme"] === "dark" ? "dark" : "light";
}

export function setTheme(choice: ThemeChoice): void {
  writeStored(localStorage, "theme", choice === "system" ? null : choice);
  const isDark =
    choice === "dark" ||
    (choice === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset["theme"] = isDark ? "dark" : "light";
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

function useTheme(): "light" | "dark" {
  return useSyncExternalStore(subscribe, currentTheme);
}

export function ThemeButton() {
  const theme = useTheme();
  const next = theme === "dark" ? "light" : "dark";
  return (
    <Button
      kind="ghost"
      icon={theme === "dark" ? "sun" : "moon"}
      aria-label={`Use the ${next} theme`}
      title={`Use the ${next} theme`}
      onClick={() => setTheme(next)}
    />
  );
}
