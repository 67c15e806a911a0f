import { useSyncExternalStore } from "react";
import { readStored, writeStored } from "../storage.ts";
import { Button } from "../ui/button.tsx";

export type ThemeChoice = "system" | "light" | "dark";

const hearers = new Set<() => void>();

export function themeChoice(): ThemeChoice {
  const kept = readStored(localStorage, "theme");
  return kept === "light" || kept === "dark" ? kept : "system";
}

function currentTheme(): "light" | "dark" {
  return document.documentElement.dataset["theme"] === "dark" ? "dark" : "light";
}

export function setTheme(choice: ThemeChoice): void {
  writeStored(localStorage, "theme", choice === "system" ? null : choice);
  const isDark =
    choice === "dark" ||
    (choice === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset["theme"] = isDark ? "dark" : "light";
  for (const hear of hearers) hear();
}

function subscribe(hear: () => void): () => void {
  hearers.add(hear);
  return () => {
    hearers.delete(hear);
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
