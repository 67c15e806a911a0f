/** Process with an embedded PostgreSQL: starts it, prints `ready`, and waits for the end of its input. */
import { startEmbedded } from "../src/core/db/embedded/index.ts";

const [dataDir = "", binariesDir] = process.argv.slice(2);
try {
  const server = await startEmbedded({
    dataDir,
    ...(binariesDir && { binariesDir }),
    progress: (line) => console.log(`progress ${line}`),
  });
  console.log(`ready ${JSON.stringify(server.connection)}`);
  process.stdin.resume();
  process.stdin.on("end", async () => {
    await server.stop();
    console.log("stopped");
  });
} catch (error) {
  const { name, message } = error as Error;
  console.log(`failed ${name}: ${message}`);
}
