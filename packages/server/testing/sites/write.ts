import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CORPUS, type CorpusSite } from "./corpus.ts";

/** Writes the corpus as folders of HTML, each with its registration, for the linter. */
export function writeCorpus(folder: string): void {
  for (const site of CORPUS) writeSite(join(folder, site.name), site);
}

function writeSite(folder: string, { business, files, name }: CorpusSite): void {
  mkdirSync(folder, { recursive: true });
  for (const [file, html] of Object.entries(files)) {
    // One site is in windows-1252 without a declaration, as many old websites are.
    const isOld = name.includes("windows-1252") && file === "index.html";
    writeFileSync(join(folder, file), html, isOld ? "latin1" : "utf8");
  }
  const registration = {
    business_name: business.name,
    use_case: business.useCase,
    sample_messages: business.samples,
  };
  writeFileSync(join(folder, "registration.json"), `${JSON.stringify(registration, null, 2)}\n`);
}
