import {
  REGISTRATION_AREAS,
  REGISTRATION_CODE_NAMES,
  type RegistrationArea,
  type RegistrationCode,
  registrationCodeSpec,
} from "../../packages/contract/src/index.ts";
import { MARKDOWN_MARK, markdownTable, type Output } from "./output.ts";

const FOLDER = "docs/registration-codes";

/** One page per code of findings and rejections, generated from the table. */
export function registrationCodePages(): Output[] {
  const pages = REGISTRATION_CODE_NAMES.map((code) => ({
    path: `${FOLDER}/${code}.md`,
    text: pageText(code),
  }));
  return [...pages, indexPage()];
}

function pageText(code: RegistrationCode): string {
  const { area, level, title, passes, explanation, fix, carrierCodes } = registrationCodeSpec(code);
  const facts = markdownTable(
    ["", ""],
    [
      ["About", AREA_NAMES[area]],
      ["Level", level === "fail" ? "fails: keeps a registration from being ready" : "warns"],
      [
        "Found by",
        passes === null
          ? "reviewers and carriers only"
          : "the check, the linter, reviewers and carriers",
      ],
      ["Passes when", passes ?? "no rule checks this"],
      ["Codes of others", carrierCodes?.join(", ") ?? "none"],
    ],
  );
  const sections = [`## Meaning`, explanation, `## How to fix it`, fix];
  return `${[MARKDOWN_MARK, `# ${code}`, `${title}.`, facts, ...sections].join("\n\n")}\n`;
}

const AREA_NAMES: Readonly<Record<RegistrationArea, string>> = {
  website: "the website",
  privacy: "the privacy policy",
  terms: "the terms",
  opt_in: "the opt-in page",
  samples: "the examples",
  content: "the content of the messages",
  language: "the language",
  use_case: "the use case",
  brand: "the brand",
  carrier: "the carriers' decision",
};

function indexPage(): Output {
  const sections = REGISTRATION_AREAS.flatMap((area) => {
    const codes = REGISTRATION_CODE_NAMES.filter(
      (code) => registrationCodeSpec(code).area === area,
    );
    const rows = codes.map((code) => {
      const { level, title } = registrationCodeSpec(code);
      return [`[\`${code}\`](${code}.md)`, level, title];
    });
    return [`## About ${AREA_NAMES[area]}`, markdownTable(["Code", "Level", "Meaning"], rows)];
  });
  const intro =
    "Every finding of a registration's check, every rejection and every line of `lint-registration` carries one of these codes. A finding that fails keeps a registration from being ready; one that warns does not.";
  const text = [MARKDOWN_MARK, "# Registration codes", intro, ...sections].join("\n\n");
  return { path: `${FOLDER}/README.md`, text: `${text}\n` };
}
