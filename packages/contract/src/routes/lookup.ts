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
    summary: "Read what is known about a phone number",
    description:
      "400 for what is no phone number, and 404 for what no path can name; 200 with valid false for one that cannot exist, and with textable false for one that this service does not text. Answers are kept, and age_seconds tells how old one is.",
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
