// npm start: installs, builds and serves.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import "./check-port.mjs";
import { root } from "./install.mjs";
import { buildConsoleOnceListening } from "./late-console.mjs";
import { prepareServing } from "./prepare-serving.mjs";

if (await prepareServing({ isConsoleLate: true })) buildConsoleOnceListening();

// The server runs in this process, so that signals reach it directly.
process.setSourceMapsEnabled(true);
await import(pathToFileURL(join(root, "packages/server/dist/main.js")).href);
