import { defineRoutes } from "../define.ts";
import { ListQuery, Page } from "../fields.ts";
import { CarrierLink } from "../schemas/carrier.ts";

export const operatorCarrierRoutes = defineRoutes({
  "operator.carriers.list": {
    method: "GET",
    path: "/operator/v1/carriers",
    scope: "operator",
    tag: "Operator",
    summary: "List the carrier links, in order of priority",
    description: "As the process that answers has them; every process keeps links of its own.",
    query: ListQuery({}),
    answers: { 200: Page(CarrierLink) },
    errors: [],
    example: { status: 200 },
  },
});
