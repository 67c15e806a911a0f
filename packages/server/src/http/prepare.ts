import { type RouteName, type RouteSpec, routes } from "@longwave/contract";
import { prepareSerialize } from "./serializers.ts";
import { prepareSchema } from "./validate.ts";

/** Compiles what a route takes and answers, so that whoever asks first does not wait for it. */
export function prepareRoute(name: RouteName): void {
  const { query, body, answers }: RouteSpec = routes[name];
  if (query) prepareSchema(query);
  if (body) prepareSchema(body);
  prepareSerialize(answers);
}
