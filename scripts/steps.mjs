// Runs one step of a command, such as the install, as a child that ends when we are told to end.
import { spawn } from "node:child_process";

const STILL_WORKING_EVERY_MS = 10_000;

/**
 * Says what it does, and says so again while it takes long: a terminal shows npm's own progress,
 * but a log file shows nothing for as long as an install may take. Ends the process when it fails.
 */
export async function runStep(title, command, args, options = {}) {
  console.error(`${title} …`);
  const startedAt = Date.now();
  const timer = setInterval(() => {
    const seconds = Math.round((Date.now() - startedAt) / 1_000);
    console.error(`  still at it after ${seconds} s …`);
  }, STILL_WORKING_EVERY_MS);
  const status = await runChild(command, args, options);
  clearInterval(timer);
  if (status !== 0) {
    console.error(`${title} failed. The lines above say why.`);
    process.exit(status);
  }
}

/** Runs a command to its end and gives its exit status; a signal meant for us is passed on. */
export function runChild(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ["ignore", "inherit", "inherit"], ...options });
  const pass = (signal) => child.kill(signal);
  process.on("SIGINT", pass);
  process.on("SIGTERM", pass);
  return new Promise((resolve) => {
    const end = (status) => {
      process.off("SIGINT", pass);
      process.off("SIGTERM", pass);
      resolve(status);
    };
    child.on("error", (error) => {
      console.error(`${command} could not be run: ${error.message}`);
      end(1);
    });
    child.on("exit", (code, signal) => end(code ?? (signal ? 130 : 1)));
  });
}
