export { DataFolderBusy, EmbeddedFailure } from "./failure.ts";
export { type EmbeddedOptions, type EmbeddedPostgres, startEmbedded } from "./launch.ts";
