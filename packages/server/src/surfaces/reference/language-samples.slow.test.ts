/** Samples in languages that need no compiler. The compiled ones: language-samples.long.test.ts. */
import { test } from "node:test";
import { runSamples, samples } from "../../../testing/sample-programs.ts";

test("the curl sample of every call sends its example", (t) =>
  runSamples(t, {
    make: samples.curl,
    needs: [["curl", "--version"]],
    files: (codes) => [{ path: "all.sh", text: ["set -e", ...codes].join("\n") }],
    commands: [["sh", "all.sh"]],
  }));

test("the Python sample of every call sends its example", (t) =>
  runSamples(t, {
    make: samples.python,
    needs: [["python3", "--version"]],
    files: (codes) => [
      { path: "codes.json", text: JSON.stringify(codes) },
      {
        path: "all.py",
        text: 'import json\nfor code in json.load(open("codes.json")): exec(code, {})\n',
      },
    ],
    commands: [["python3", "all.py"]],
  }));

test("the PHP sample of every call sends its example", (t) =>
  runSamples(t, {
    make: samples.php,
    needs: [["php", "-r", 'exit(function_exists("curl_init") ? 0 : 1);']],
    files: (codes) => [
      ...codes.map((text, index) => ({ path: `${index}.php`, text })),
      {
        path: "all.php",
        text: codes.map((_, index) => `<?php include "${index}.php"; ?>`).join("\n"),
      },
    ],
    commands: [["php", "all.php"]],
  }));

test("the Ruby sample of every call sends its example", (t) =>
  runSamples(t, {
    make: samples.ruby,
    needs: [["ruby", "--version"]],
    files: (codes) => [
      { path: "codes.json", text: JSON.stringify(codes) },
      {
        path: "all.rb",
        text: 'require "json"\nJSON.parse(File.read("codes.json")).each { |code| eval(code) }\n',
      },
    ],
    commands: [["ruby", "all.rb"]],
  }));
