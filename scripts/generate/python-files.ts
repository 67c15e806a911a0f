import type { Schema } from "../../packages/contract/src/openapi/json.ts";
import { type Output, PYTHON_MARK } from "./output.ts";
import { methodsText } from "./python-methods.ts";
import { PythonTypes } from "./python-types.ts";
import { publishedDocument, sdkCalls } from "./sdk-calls.ts";

/** Generated modules of the Python client: its types, and its methods for threads and for asyncio. */
export function pythonFiles(): Output[] {
  const types = new PythonTypes();
  for (const [name, schema] of Object.entries(publishedDocument.components.schemas)) {
    types.add(name, schema as Schema);
  }
  const calls = sdkCalls();
  const methods = (isAsync: boolean) => methodsText(calls, types, isAsync);
  const [sync, async] = [methods(false), methods(true)];
  return [
    { path: "longwave/_sync.py", text: `${PYTHON_MARK}\n${sync}` },
    { path: "longwave/_async.py", text: `${PYTHON_MARK}\n${async}` },
    { path: "longwave/types.py", text: `${PYTHON_MARK}\n${types.text()}` },
  ];
}
