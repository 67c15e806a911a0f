/**
 * Contract tables without schemas, for browsers: nothing here imports typebox, which would take a
 * third of the console's size budget.
 */
export * from "./audit-actions.ts";
export * from "./codecs/csv.ts";
export * from "./codecs/timestamps.ts";
export * from "./contact-csv.ts";
export * from "./contact-filter.ts";
export * from "./enums.ts";
export * from "./errors.ts";
export * from "./failures.ts";
export * from "./ids.ts";
export * from "./limits.ts";
export * from "./machines/index.ts";
export * from "./phone/phone.ts";
export * from "./prices.ts";
export * from "./registration-codes/index.ts";
export * from "./roles.ts";
export * from "./scopes.ts";
export * from "./text/contact-variables.ts";
export * from "./text/counted.ts";
export * from "./text/merge.ts";
export * from "./text/sms-segments.ts";
