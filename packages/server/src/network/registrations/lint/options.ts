import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { REGISTRATION_USE_CASES as USE_CASES } from "@longwave/contract";
import type { UseCase } from "../site.ts";

export const LINT_USAGE = `Usage: main.js lint-registration URL|FOLDER [options]

Checks a website and example messages by the rules of registrations. A folder of HTML files is
checked without a network: index.html and the pages it links to. A file registration.json in it may hold business_name,
use_case, privacy_url, terms_url, opt_in_url and sample_messages.

  --business-name NAME   as it will be registered (otherwise taken from the page's title)
  --use-case USE_CASE    ${USE_CASES.slice(0, 6).join(", ")},
                         ${USE_CASES.slice(6).join(", ")}
                         (otherwise mixed)
  --privacy-url, --terms-url, --opt-in-url ADDRESS
                         where these pages are (otherwise found by the links of the homepage)
  --samples FILE         example messages: one a line, or a JSON array of strings
  --json                 every finding, as JSON
  --sarif                the findings as SARIF 2.1.0, for code scanning

Ends with status 1 when a finding fails, with 2 when it could not begin.`;

/** A mistake on the command line, as a sentence. */
export class LintUsageError extends Error {}

export interface LintOptions {
  /** Website URL, or null when a folder is checked. */
  readonly website: string | null;
  readonly folder: string | null;
  readonly businessName: string | null;
  readonly useCase: UseCase;
  readonly privacyUrl: string | null;
  readonly termsUrl: string | null;
  readonly optInUrl: string | null;
  readonly samples: readonly string[] | null;
  readonly format: "people" | "json" | "sarif";
}

const REGISTRATION_FILE = "registration.json";
const SAMPLES_BYTES_MAX = 65_536;

export function lintOptions(args: readonly string[]): LintOptions {
  const { values, positionals } = parsed(args);
  const target = targetOf(positionals);
  const stored = target.folder === null ? {} : registrationOf(target.folder);
  const given = (option: string | undefined, name: string) => option ?? text(stored[name]);
  return {
    ...target,
    businessName: given(values["business-name"], "business_name"),
    useCase: useCaseOf(given(values["use-case"], "use_case")),
    privacyUrl: given(values["privacy-url"], "privacy_url"),
    termsUrl: given(values["terms-url"], "terms_url"),
    optInUrl: given(values["opt-in-url"], "opt_in_url"),
    samples:
      values.samples === undefined ? texts(stored["sample_messages"]) : samplesOf(values.samples),
    format: formatOf(values.json, values.sarif),
  };
}

function targetOf(positionals: readonly string[]): Pick<LintOptions, "website" | "folder"> {
  const [target, ...more] = positionals;
  if (target === undefined || more.length > 0) {
    throw new LintUsageError("Name one website or one folder.");
  }
  if (/^https?:\/\//i.test(target)) return { website: target, folder: null };
  if (isFolder(target)) return { website: null, folder: target };
  throw new LintUsageError(`${target} is neither an address (https://…) nor a folder.`);
}

function formatOf(json: boolean, sarif: boolean): LintOptions["format"] {
  if (json && sarif) throw new LintUsageError("Choose --json or --sarif.");
  if (json) return "json";
  return sarif ? "sarif" : "people";
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        "business-name": { type: "string" },
        "use-case": { type: "string" },
        "privacy-url": { type: "string" },
        "terms-url": { type: "string" },
        "opt-in-url": { type: "string" },
        samples: { type: "string" },
        json: { type: "boolean", default: false },
        sarif: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    throw new LintUsageError(error instanceof Error ? error.message : String(error), {
      cause: error,
    });
  }
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

function registrationOf(folder: string): Record<string, unknown> {
  const file = join(folder, REGISTRATION_FILE);
  if (!existsSync(file)) return {};
  const stored = jsonOf(readFileSync(file, "utf8"), file);
  if (typeof stored !== "object" || stored === null || Array.isArray(stored)) {
    throw new LintUsageError(`${file} must hold an object.`);
  }
  return stored as Record<string, unknown>;
}

function samplesOf(file: string): string[] {
  if (!existsSync(file)) throw new LintUsageError(`There is no file ${file}.`);
  if (statSync(file).size > SAMPLES_BYTES_MAX) throw new LintUsageError(`${file} is too large.`);
  const content = readFileSync(file, "utf8");
  if (!content.trimStart().startsWith("[")) {
    return content.split(/\r?\n/).filter((line) => line.trim() !== "");
  }
  const list = texts(jsonOf(content, file));
  if (list === null) throw new LintUsageError(`${file} must hold an array of strings.`);
  return list;
}

function jsonOf(content: string, file: string): unknown {
  try {
    return JSON.parse(content);
  } catch (error) {
    throw new LintUsageError(`${file} is not JSON.`, { cause: error });
  }
}

function useCaseOf(name: string | null): UseCase {
  if (name === null) return "mixed";
  if (USE_CASES.includes(name as UseCase)) return name as UseCase;
  throw new LintUsageError(`${name} is no use case. Known: ${USE_CASES.join(", ")}.`);
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function texts(value: unknown): string[] | null {
  return Array.isArray(value) && value.every((item) => typeof item === "string") ? value : null;
}
