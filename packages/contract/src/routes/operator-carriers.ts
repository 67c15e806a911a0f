import { defineRoutes } from "../define.ts";
import { ListQuery } from "../fields.ts";
import { CarrierPage, CarrierReload } from "../schemas/carrier.ts";

export const operatorCarrierRoutes = defineRoutes({
  "operator.carriers.list": {
    method: "GET",
    path: "/operator/v1/carriers",
    scope: "operator",
    tag: "Operator",
    summary: "List the carrier links, in order of priority",
    description:
      "Of the whole installation: each bind is kept by one process, which tells the others how it is every second. The numbers that no carrier serves are named beside the list.",
    query: ListQuery({}),
    answers: { 200: CarrierPage },
    errors: [],
    example: { status: 200 },
  },
  "operator.carriers.reload": {
    method: "POST",
    path: "/operator/v1/carriers/reload",
    scope: "operator",
    tag: "Operator",
    summary: "Read the carriers file again",
    description:
      "Every process reads its file. Links of carriers whose entry is the same are left alone, the others are drained first. A file with a mistake changes nothing: the answer is a 400 whose `param` names the place, as `carriers[1].bind`.",
    answers: { 200: CarrierReload },
    errors: ["invalid_request"],
    example: { status: 200 },
  },
});
