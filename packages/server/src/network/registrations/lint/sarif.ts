/** Findings as SARIF 2.1.0, for the code scanning of GitHub and others. */
import {
  REGISTRATION_CODE_NAMES,
  type RegistrationCode,
  registrationCodeSpec,
} from "@longwave/contract";
import type { SampleFinding } from "../rules/finding.ts";
import { shownAddress } from "../website/folder-source.ts";
import type { LintReport } from "./report.ts";

const SCHEMA = "https://json.schemastore.org/sarif-2.1.0-rtm.5.json";

export function sarifReport(report: LintReport): string {
  const findings = report.findings.filter(({ level }) => level !== "pass");
  const log = {
    $schema: SCHEMA,
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "longwave lint-registration",
            rules: REGISTRATION_CODE_NAMES.map(ruleOf),
          },
        },
        columnKind: "utf16CodeUnits",
        results: findings.map(resultOf),
      },
    ],
  };
  return JSON.stringify(log, null, 2);
}

function ruleOf(code: RegistrationCode) {
  const { title, explanation, fix, level } = registrationCodeSpec(code);
  return {
    id: code,
    shortDescription: { text: title },
    fullDescription: { text: explanation },
    help: { text: fix },
    defaultConfiguration: { level: level === "fail" ? "error" : "warning" },
  };
}

function resultOf(finding: SampleFinding) {
  const example = finding.index === null ? "" : `Example ${finding.index + 1}: `;
  const fix = finding.fix === null ? "" : ` ${finding.fix}`;
  return {
    ruleId: finding.code,
    ruleIndex: REGISTRATION_CODE_NAMES.indexOf(finding.code),
    kind: "fail",
    level: finding.level === "fail" ? "error" : "warning",
    message: { text: `${example}${finding.title}. ${finding.detail}${fix}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: addressOf(finding) },
          ...(finding.excerpt === null
            ? {}
            : { region: { startLine: 1, snippet: { text: finding.excerpt } } }),
        },
      },
    ],
  };
}

/** A URL unchanged; a file of a folder as a URI-safe path. */
function addressOf({ url, index }: SampleFinding): string {
  if (url === null) return index === null ? "registration.json" : "sample_messages";
  const shown = shownAddress(url);
  return shown === url ? url : shown.split("/").map(encodeURIComponent).join("/");
}
