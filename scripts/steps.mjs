// Runs one step of a command, such as the install, as a child that ends with this process.
import { spawn } from "node:child_process";

const STILL_WORKING_EVERY_MS = 10_000;

/**
 * Prints the step's name, and again while it takes long: a terminal shows npm's own progress, but a log file shows
 * nothing during an install. Ends the process when the step fails.
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

/** Runs a command to its end and returns its exit status; signals are passed on to it. */
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
