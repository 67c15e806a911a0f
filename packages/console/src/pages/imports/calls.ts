import type { RouteAnswer, RouteInput } from "@longwave/contract";
import type { CallOptions, Longwave, Page } from "@longwave/sdk";

export type AccountImport = RouteAnswer<"imports.get">["body"];
export type ImportsCreateBody = RouteInput<"imports.create">["body"];

const IMPORTS = "/console/v1/imports";

/** Calls of the importer, which the published SDK leaves out. */
export const imports = {
  create: (api: Longwave, body: ImportsCreateBody, options: CallOptions) =>
    api.request<AccountImport>("POST", IMPORTS, { body, ...options }),
  list: (api: Longwave, query: { limit: number }, options: CallOptions) =>
    api.request<Page<AccountImport>>("GET", IMPORTS, { query, ...options }),
  get: (api: Longwave, id: string, options: CallOptions) =>
    api.request<AccountImport>("GET", `${IMPORTS}/${encodeURIComponent(id)}`, options),
  cancel: (api: Longwave, id: string, options: CallOptions) =>
    api.request<AccountImport>("POST", `${IMPORTS}/${encodeURIComponent(id)}/cancel`, options),
};
