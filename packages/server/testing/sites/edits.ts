import { type Business, compliantSite, type SiteFiles, WORDS } from "./template.ts";

/** One website of the corpus, with every finding that is no pass. */
export interface CorpusSite {
  readonly name: string;
  readonly business: Business;
  readonly files: SiteFiles;
  readonly expected: readonly string[];
}

export type Edit = (files: Record<string, string>) => void;

/** Replaces in a file what must be there: an edit that changes nothing would test nothing. */
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

/** Leaves out one sentence that a rule asks for. */
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

/** The box for consent, as the template has it. */
export const CONSENT_BOX = '<input type="checkbox" name="sms_consent">';
