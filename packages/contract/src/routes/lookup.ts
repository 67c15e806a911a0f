import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { Input } from "../fields.ts";
import { Lookup } from "../schemas/lookup.ts";

export const lookupRoutes = defineRoutes({
  "lookup.get": {
    method: "GET",
    path: "/v1/lookup/{phone}",
    scope: "lookup",
    tag: "Lookup",
    summary: "Look up a phone number",
    description:
      "400 for an invalid number, and 404 for a path that names none; 200 with `valid` false for an impossible number, and with `textable` false for one that this service cannot text. Results are cached; `age_seconds` is their age.",
    params: Input({
      phone: Type.String({
        description: "The phone number, in any form that a request may write it.",
      }),
    }),
    answers: { 200: Lookup },
    errors: ["not_found"],
    example: { params: { phone: "+15005550007" }, status: 200 },
  },
});
