/** Samples in compiled languages: each language's compiler takes all of them, and they run. */
import { test } from "node:test";
import { runSamples, samples } from "../../../testing/sample-programs.ts";

test("the Go sample of every call compiles and sends its example", (t) =>
  runSamples(t, {
    make: samples.go,
    needs: [["go", "version"]],
    files: (codes) => [
      { path: "go.mod", text: "module samples\n\ngo 1.18\n" },
      ...codes.map((code, index) => ({
        path: `call${index}/call.go`,
        text: code
          .replace("package main", `package call${index}`)
          .replace("func main()", "func Run()"),
      })),
      {
        path: "main.go",
        text: `package main\n\nimport (\n${codes.map((_, index) => `\t"samples/call${index}"`).join("\n")}\n)\n\nfunc main() {\n${codes.map((_, index) => `\tcall${index}.Run()`).join("\n")}\n}\n`,
      },
    ],
    commands: [
      ["go", "vet", "./..."],
      ["go", "run", "."],
    ],
  }));

test("the Java sample of every call compiles and sends its example", (t) =>
  runSamples(t, {
    make: samples.java,
    needs: [
      ["javac", "-version"],
      ["java", "-version"],
    ],
    files: (codes) => [
      ...codes.map((code, index) => ({
        path: `Call${index}.java`,
        text: code.replace("class Main", `class Call${index}`),
      })),
      {
        path: "All.java",
        text: `public class All {\n    public static void main(String[] args) throws Exception {\n${codes.map((_, index) => `        Call${index}.main(args);`).join("\n")}\n    }\n}\n`,
      },
    ],
    commands: [
      ["javac", "All.java"],
      ["java", "-cp", ".", "All"],
    ],
  }));

/**
 * Mono's compiler, the one that Debian has, is older than top-level statements, raw strings and
 * HttpMethod.Patch. The rest of a sample reaches it unchanged.
 */
function forMono(code: string, index: number): string {
  const usings = code.match(/^using .*;$/gm) ?? [];
  const statements = code
    .replaceAll(/^using .*;\n/gm, "")
    .replaceAll(/"""\n([\s\S]*?)\n {4}"""/g, (_, text: string) => {
      const flat = text.replaceAll(/^ {4}/gm, "").replaceAll('"', '""');
      return `@"${flat}"`;
    })
    .replaceAll("HttpMethod.Patch", 'new HttpMethod("PATCH")');
  return `${usings.join("\n")}\nusing System.Threading.Tasks;\nclass Call${index} {\npublic static async Task Run() {\n${statements}\n}\n}\n`;
}

test("the C# sample of every call compiles and sends its example", (t) =>
  runSamples(t, {
    make: samples.csharp,
    needs: [
      ["mcs", "--version"],
      ["mono", "--version"],
    ],
    files: (codes) => [
      ...codes.map((code, index) => ({ path: `Call${index}.cs`, text: forMono(code, index) })),
      {
        path: "All.cs",
        text: `class All {\nstatic void Main() {\n${codes.map((_, index) => `Call${index}.Run().Wait();`).join("\n")}\n}\n}\n`,
      },
    ],
    commands: [
      ["mcs", "-r:System.Net.Http", "-out:all.exe", "-recurse:*.cs"],
      ["mono", "all.exe"],
    ],
  }));
