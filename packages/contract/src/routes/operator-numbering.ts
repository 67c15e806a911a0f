import { defineRoutes } from "../define.ts";
import { LINE_TYPES, NUMBERING_COLUMNS } from "../enums.ts";
import { NUMBERING_BYTES_MAX } from "../limits.ts";
import { Numbering } from "../schemas/numbering.ts";

const HEADER = NUMBERING_COLUMNS.join(",");

/** Who runs which numbers: what the operator's files of numbering data say. */
export const operatorNumberingRoutes = defineRoutes({
  "operator.numbering.load": {
    method: "POST",
    path: "/operator/v1/numbering",
    scope: "operator",
    tag: "Operator",
    summary: "Replace what is known of ranges of numbers",
    description: `A CSV file in UTF-8 whose first line is \`${HEADER}\`: the area code and exchange as six digits, the kind of line (${LINE_TYPES.join(", ")}), and who runs it and where, each of which may be empty. It takes the place of all that was loaded before, or, where a line is wrong, of nothing: the refusal names the line. A file with no more than its first line removes everything. Lookups, batches, imports and verifications go by it from then on.`,
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
