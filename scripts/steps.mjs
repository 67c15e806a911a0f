// Runs one step of a command, such as the install, as a child that ends with this process.
import { spawn } from "node:child_process";

const STILL_WORKING_EVERY_MS = 10_000;
const FRAMES = [..."⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"];
const FRAME_MS = 80;
const OUTPUT_KEPT_CHARACTERS = 64_000;

/**
 * Runs the step in one line: on a terminal with a spinner, and the step's own output only if it fails; in a log file
 * its name, and again while it takes long. Ends the process when the step fails.
 */
export async function runStep(title, command, args, options = {}) {
  const isOnTerminal = process.stderr.isTTY === true;
  const show = isOnTerminal ? spin(title) : repeat(title);
  const output = isOnTerminal ? keepOutput() : null;
  const status = await runChild(command, args, { ...options, output });
  show.end(status === 0);
  if (status !== 0) {
    if (output) process.stderr.write(output.text());
    console.error(`${title} failed. The lines above say why.`);
    process.exit(status);
  }
}

function spin(title) {
  const startedAt = Date.now();
  const seconds = () => ((Date.now() - startedAt) / 1_000).toFixed(1);
  let frame = 0;
  const draw = () => {
    process.stderr.write(`\r\u001b[K${FRAMES[frame % FRAMES.length]} ${title} … ${seconds()} s`);
    frame += 1;
  };
  draw();
  const timer = setInterval(draw, FRAME_MS);
  return {
    end(isDone) {
      clearInterval(timer);
      process.stderr.write(`\r\u001b[K${isDone ? "✓" : "✗"} ${title}  ${seconds()} s\n`);
    },
  };
}

function repeat(title) {
  console.error(`${title} …`);
  const startedAt = Date.now();
  const timer = setInterval(() => {
    const seconds = Math.round((Date.now() - startedAt) / 1_000);
    console.error(`  still at it after ${seconds} s …`);
  }, STILL_WORKING_EVERY_MS);
  return { end: () => clearInterval(timer) };
}

function keepOutput() {
  let kept = "";
  return {
    add: (text) => {
      kept = (kept + text).slice(-OUTPUT_KEPT_CHARACTERS);
    },
    text: () => kept,
  };
}

/**
 * Runs a command to its end and returns its exit status; signals are passed on to it. Its output goes to `output` if
 * given, to the terminal otherwise.
 */
export function runChild(command, args, { output = null, ...options } = {}) {
  const out = output ? "pipe" : "inherit";
  const child = spawn(command, args, { stdio: ["ignore", out, out], ...options });
  for (const stream of output ? [child.stdout, child.stderr] : []) {
    stream.setEncoding("utf8").on("data", output.add);
  }
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
    child.on("close", (code, signal) => end(code ?? (signal ? 130 : 1)));
  });
}
