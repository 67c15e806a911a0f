/**
 * Samples in languages without an SDK. Each needs only its standard library (PHP: the curl extension)
 * and prints the answer. No DOM in here.
 */
import { FILE, json, requestOf } from "./request.js";

const INDENT = "    ";

/** Lines of a sample; parts that a call does not need are null. */
function lines(...parts) {
  return parts
    .flat()
    .filter((part) => part !== null)
    .join("\n");
}

function indented(text, indent) {
  return text.replaceAll(/\n(?=.)/g, `\n${indent}`);
}

/**
 * A value in the syntax of a language: `words` has true, false and null, `text` quotes a string, `pair`
 * joins a name and its value, `list` and `map` are the brackets, `end` follows the last item.
 */
function literal(value, syntax, indent = "") {
  if (typeof value === "string") return syntax.text(value);
  if (typeof value !== "object" || value === null) {
    return syntax.words[String(value)] ?? String(value);
  }
  const isList = Array.isArray(value);
  const [open, close] = isList ? syntax.list : syntax.map;
  const inner = indent + syntax.indent;
  const items = isList
    ? value.map((item) => literal(item, syntax, inner))
    : Object.entries(value).map(([name, item]) => syntax.pair(name, literal(item, syntax, inner)));
  if (items.length === 0) return isList ? `${open}${close}` : syntax.empty;
  return `${open}\n${items.map((item) => `${inner}${item}`).join(",\n")}${syntax.end}\n${indent}${close}`;
}

const PYTHON = {
  words: { true: "True", false: "False", null: "None" },
  text: (value) => JSON.stringify(value),
  pair: (name, value) => `${JSON.stringify(name)}: ${value}`,
  list: ["[", "]"],
  map: ["{", "}"],
  empty: "{}",
  end: ",",
  indent: INDENT,
};

export function python(call, values, where) {
  const { method, url, token, type, body, isFile } = requestOf(call, values, where);
  const data = isFile
    ? `open("${FILE}", "rb").read()`
    : `json.dumps(${literal(body, PYTHON, INDENT)}).encode()`;
  return lines(
    call.answersJson || (type && !isFile) ? "import json" : null,
    "import urllib.request",
    "",
    "request = urllib.request.Request(",
    `    ${JSON.stringify(url)},`,
    `    method="${method}",`,
    "    headers={",
    `        "Authorization": ${JSON.stringify(`Bearer ${token}`)},`,
    type ? `        "Content-Type": "${type}",` : null,
    "    },",
    type ? `    data=${data},` : null,
    ")",
    "with urllib.request.urlopen(request) as response:",
    `    print(${call.answersJson ? "json.load(response)" : "response.read().decode()"})`,
  );
}

export function go(call, values, where) {
  const { method, url, token, type, body, isFile } = requestOf(call, values, where);
  const raw = type && !isFile ? json(body).replaceAll("`", '` + "`" + `') : "";
  const check = ["\tif err != nil {", "\t\tpanic(err)", "\t}"];
  const file = [`\tbody, err := os.Open("${FILE}")`, ...check];
  const packages = ["fmt", "io", "net/http", isFile ? "os" : null, raw ? "strings" : null];
  return lines(
    ["package main", "", "import ("],
    packages.map((name) => (name ? `\t"${name}"` : null)),
    [")", "", "func main() {"],
    isFile ? file : null,
    raw ? `\tbody := strings.NewReader(\`${raw}\`)` : null,
    `\trequest, err := http.NewRequest("${method}", ${JSON.stringify(url)}, ${type ? "body" : "nil"})`,
    check,
    `\trequest.Header.Set("Authorization", ${JSON.stringify(`Bearer ${token}`)})`,
    type ? `\trequest.Header.Set("Content-Type", "${type}")` : null,
    "\tresponse, err := http.DefaultClient.Do(request)",
    check,
    "\tdefer response.Body.Close()",
    "\tanswer, err := io.ReadAll(response.Body)",
    check,
    "\tfmt.Println(response.Status, string(answer))",
    "}",
  );
}

/** Single quotes: PHP replaces `$name` inside double ones. */
const phpText = (value) => `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
const PHP = {
  words: {},
  text: phpText,
  pair: (name, value) => `${phpText(name)} => ${value}`,
  list: ["[", "]"],
  map: ["[", "]"],
  empty: "new stdClass()",
  end: ",",
  indent: INDENT,
};

export function php(call, values, where) {
  const { method, url, token, type, body, isFile } = requestOf(call, values, where);
  const data = isFile
    ? `file_get_contents('${FILE}')`
    : `json_encode(${literal(body, PHP, INDENT)})`;
  return lines(
    ["<?php", "", `$request = curl_init(${phpText(url)});`, "curl_setopt_array($request, ["],
    `    CURLOPT_CUSTOMREQUEST => '${method}',`,
    "    CURLOPT_HTTPHEADER => [",
    `        ${phpText(`Authorization: Bearer ${token}`)},`,
    type ? `        'Content-Type: ${type}',` : null,
    "    ],",
    type ? `    CURLOPT_POSTFIELDS => ${data},` : null,
    ["    CURLOPT_RETURNTRANSFER => true,", "]);", "echo curl_exec($request);"],
  );
}

/** Escapes the `#` of `#{…}`, which Ruby would evaluate. */
const rubyText = (value) => JSON.stringify(value).replaceAll(/#(?=[{$@])/g, "\\#");
const RUBY = {
  words: { null: "nil" },
  text: rubyText,
  pair: (name, value) => `${/^[a-z_]\w*$/i.test(name) ? name : rubyText(name)}: ${value}`,
  list: ["[", "]"],
  map: ["{", "}"],
  empty: "{}",
  end: "",
  indent: "  ",
};

export function ruby(call, values, where) {
  const { method, url, token, type, body, isFile } = requestOf(call, values, where);
  const kind = method.charAt(0) + method.slice(1).toLowerCase();
  const data = isFile ? `File.read("${FILE}")` : `JSON.generate(${literal(body, RUBY)})`;
  return lines(
    type && !isFile ? 'require "json"' : null,
    ['require "net/http"', "", `uri = URI(${rubyText(url)})`],
    `request = Net::HTTP::${kind}.new(uri)`,
    `request["Authorization"] = ${rubyText(`Bearer ${token}`)}`,
    type ? `request["Content-Type"] = "${type}"` : null,
    type ? `request.body = ${data}` : null,
    'response = Net::HTTP.start(uri.hostname, uri.port, use_ssl: uri.scheme == "https") do |http|',
    ["  http.request(request)", "end", "puts response.body"],
  );
}

/** A text block of Java or a raw string of C#: JSON never has three quotes in a row. */
function textBlock(text, indent) {
  return `"""\n${indent}${indented(text, indent)}\n${indent}"""`;
}

export function java(call, values, where) {
  const { method, url, token, type, body, isFile } = requestOf(call, values, where);
  const escaped = type && !isFile ? json(body).replaceAll("\\", "\\\\") : "";
  const none = "BodyPublishers.noBody()";
  const given = isFile
    ? `BodyPublishers.ofFile(Path.of("${FILE}"))`
    : "BodyPublishers.ofString(body)";
  const sent = type ? given : none;
  const imports = [
    "java.net.URI",
    "java.net.http.HttpClient",
    "java.net.http.HttpRequest",
    type || method !== "GET" ? "java.net.http.HttpRequest.BodyPublishers" : null,
    "java.net.http.HttpResponse.BodyHandlers",
    isFile ? "java.nio.file.Path" : null,
  ];
  return lines(
    imports.map((name) => (name ? `import ${name};` : null)),
    ["", "public class Main {", "    public static void main(String[] args) throws Exception {"],
    escaped ? `        var body = ${textBlock(escaped, INDENT.repeat(3))};` : null,
    `        var request = HttpRequest.newBuilder(URI.create(${JSON.stringify(url)}))`,
    method === "GET" ? null : `            .method("${method}", ${sent})`,
    `            .header("Authorization", ${JSON.stringify(`Bearer ${token}`)})`,
    type ? `            .header("Content-Type", "${type}")` : null,
    "            .build();",
    "        var response = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());",
    ["        System.out.println(response.body());", "    }", "}"],
  );
}

export function csharp(call, values, where) {
  const { method, url, token, type, body, isFile } = requestOf(call, values, where);
  const kind = method.charAt(0) + method.slice(1).toLowerCase();
  const content = isFile ? `File.ReadAllText("${FILE}")` : "body";
  return lines(
    ["using System;", isFile ? "using System.IO;" : null, "using System.Net.Http;"],
    ["using System.Net.Http.Headers;", type ? "using System.Text;" : null, ""],
    "var client = new HttpClient();",
    "client.DefaultRequestHeaders.Authorization =",
    `    new AuthenticationHeaderValue("Bearer", ${JSON.stringify(token)});`,
    type && !isFile ? `var body = ${textBlock(json(body), INDENT)};` : null,
    `var request = new HttpRequestMessage(HttpMethod.${kind}, ${JSON.stringify(url)});`,
    type ? `request.Content = new StringContent(${content}, Encoding.UTF8, "${type}");` : null,
    "var response = await client.SendAsync(request);",
    "Console.WriteLine(await response.Content.ReadAsStringAsync());",
  );
}
