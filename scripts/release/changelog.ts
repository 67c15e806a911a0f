/** The changelog's part of a release: its unreleased entries become the section of the version. */

const UNRELEASED = "## Unreleased";
const SECTION = /^## /m;

export interface Released {
  /** The whole file, with an empty unreleased section above the new one. */
  readonly changelog: string;
  /** Text of the new section, without its heading. */
  readonly notes: string;
}

export function releaseChangelog(changelog: string, version: string, date: string): Released {
  const at = changelog.indexOf(`${UNRELEASED}\n`);
  if (at < 0) throw new Error(`CHANGELOG.md has no section "${UNRELEASED}".`);
  if (sectionOf(changelog, version) !== null) {
    throw new Error(`CHANGELOG.md has a section for ${version} already.`);
  }
  const start = at + UNRELEASED.length + 1;
  const rest = changelog.slice(start);
  const end = rest.search(SECTION);
  const notes = (end < 0 ? rest : rest.slice(0, end)).trim();
  if (!/^- /m.test(notes)) {
    throw new Error("CHANGELOG.md lists nothing under Unreleased: write what users notice.");
  }
  const older = end < 0 ? "" : `\n${rest.slice(end)}`;
  const section = `## ${version} - ${date}\n\n${notes}\n`;
  return { changelog: `${changelog.slice(0, start)}\n${section}${older}`, notes };
}

/** Text of a released version's section; null when there is none. */
export function sectionOf(changelog: string, version: string): string | null {
  const heading = new RegExp(`^## ${version.replaceAll(".", "\\.")} - \\d{4}-\\d\\d-\\d\\d$`, "m");
  const found = heading.exec(changelog);
  if (!found) return null;
  const rest = changelog.slice(found.index + found[0].length);
  const end = rest.search(SECTION);
  return (end < 0 ? rest : rest.slice(0, end)).trim();
}
