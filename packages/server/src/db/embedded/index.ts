export { APPLICATION, OWNER } from "./access.ts";
export { backUp, bringBack } from "./backup.ts";
export { DataFolderBusy, EmbeddedFailure, explainFileError } from "./failure.ts";
export { type EmbeddedOptions, type EmbeddedPostgres, startEmbedded } from "./launch.ts";
