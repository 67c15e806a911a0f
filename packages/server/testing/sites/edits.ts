import { type Business, compliantSite, type SiteFiles, WORDS } from "./template.ts";

/** One website of the corpus, with its expected warnings and failures. */
export interface CorpusSite {
  readonly name: string;
  readonly business: Business;
  readonly files: SiteFiles;
  readonly expected: readonly string[];
}

export type Edit = (files: Record<string, string>) => void;

/** Replaces a part of a file; throws if it is missing, because the edit would then test nothing. */
export function replace(file: string, from: string | RegExp, to: string): Edit {
  return (files) => {
    const before = files[file] ?? "";
    const after = before.replace(from, to);
    if (after === before) throw new Error(`${file} has no ${String(from)}`);
    files[file] = after;
  };
}

export function remove(file: string): Edit {
  return (files) => {
    delete files[file];
  };
}

export function site(
  name: string,
  business: Business,
  edits: readonly Edit[],
  expected: readonly string[],
): CorpusSite {
  const files: Record<string, string> = { ...compliantSite(business) };
  for (const edit of edits) edit(files);
  const language = business.lang === "en" ? [] : ["language.not_english"];
  return { name, business, files, expected: [...language, ...expected] };
}

/** Sites that each lack one sentence that a rule requires. */
export function sentenceDefects(
  file: string,
  business: Business,
  page: "terms" | "optin",
  kinds: readonly ("stop" | "help" | "rates" | "frequency")[],
): CorpusSite[] {
  return kinds.map((kind) =>
    site(
      `defect-${page}-${kind}-${business.lang}`,
      business,
      [replace(file, WORDS[business.lang][kind], "")],
      [`${page}.${kind}_missing`],
    ),
  );
}

export function slug(name: string): string {
  return name
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z]+/g, "-")
    .replace(/-$/, "");
}

/** Consent checkbox of the template. */
export const CONSENT_BOX = '<input type="checkbox" name="sms_consent">';
