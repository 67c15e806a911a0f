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
      "State of the whole installation: one process keeps each bind, and reports its state to the others every second. `numbers_without_carrier` lists the numbers that no carrier serves.",
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
      "Every process reads its file. Unchanged carriers keep their binds, the others are drained first. A file with an error changes nothing: the response is a 400 whose `param` is the path of the error, such as `carriers[1].bind`.",
    answers: { 200: CarrierReload },
    errors: ["invalid_request"],
    example: { status: 200 },
  },
});
