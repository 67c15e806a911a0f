import type { PageFacts } from "./page/facts.ts";
import { domainOf } from "./rules/website-rules.ts";

/** Splits titles at single spaces; page/read.ts normalizes them. */
const BETWEEN_PARTS = / [|–—·•:»-] | ?\| ?/;
const COMMON_TITLE = /^(?:home(?: ?page)?|welcome|inicio|accueil|index)$/i;
const NAME_CHARS_MAX = 120;

/** Likely business name: the site's own name, or the part of the title that matches the domain. */
export function guessName(facts: PageFacts, website: string): string {
  if (facts.siteName !== "") return facts.siteName.slice(0, NAME_CHARS_MAX);
  const parts = facts.title
    .split(BETWEEN_PARTS)
    .map((part) => part.trim())
    .filter((part) => part !== "" && !COMMON_TITLE.test(part));
  const label = domainOf(website).split(".")[0] ?? "";
  const fitting = parts.find((part) => {
    const squeezed = part.toLowerCase().replace(/[^a-z0-9]/g, "");
    return squeezed !== "" && (label.includes(squeezed) || squeezed.includes(label));
  });
  const shortest = [...parts].sort((a, b) => a.length - b.length)[0];
  return (fitting ?? shortest ?? label).slice(0, NAME_CHARS_MAX);
}
