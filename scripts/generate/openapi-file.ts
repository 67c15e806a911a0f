import { openApiDocument } from "../../packages/contract/src/index.ts";
import { JSON_MARK, type Output } from "./output.ts";

/** The OpenAPI document, as it is served. */
export function openApiFile(): Output[] {
  const document = { "x-generated": JSON_MARK, ...openApiDocument() };
  const text = `${JSON.stringify(document, null, 2)}\n`;
  return [{ path: "packages/contract/openapi.json", text }];
}
