export { APPLICATION, OWNER } from "./access.ts";
export { backUp, restoreBackup } from "./backup.ts";
export { DataFolderBusy, EmbeddedFailure, explainFileError } from "./failure.ts";
export { findCluster } from "./folder.ts";
export {
  type EmbeddedOptions,
  type EmbeddedPostgres,
  reachEmbedded,
  startEmbedded,
} from "./launch.ts";
