import { defineRoutes } from "../define.ts";
import { LINE_TYPES, NUMBERING_COLUMNS } from "../enums.ts";
import { NUMBERING_BYTES_MAX } from "../limits.ts";
import { Numbering } from "../schemas/numbering.ts";

const HEADER = NUMBERING_COLUMNS.join(",");

/** Numbering data files of the operator. */
export const operatorNumberingRoutes = defineRoutes({
  "operator.numbering.load": {
    method: "POST",
    path: "/operator/v1/numbering",
    scope: "operator",
    tag: "Operator",
    summary: "Replace the numbering data",
    description: `A CSV file in UTF-8 whose first line is \`${HEADER}\`: area code and exchange as six digits, line type (${LINE_TYPES.join(", ")}), and carrier, locality and region, each of which may be empty. It replaces all earlier data; a wrong line refuses the whole file, and the error names the line. A file with only the first line removes everything. Lookups, batches, imports and verifications then use the new data.`,
    takes: "text/csv",
    bodyBytesMax: NUMBERING_BYTES_MAX,
    answers: { 200: Numbering },
    errors: [],
    example: {
      body: `${HEADER}\n206555,mobile,Example Wireless,Seattle,WA\n`,
      status: 200,
    },
  },
});
