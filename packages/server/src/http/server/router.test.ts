import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { routes } from "@longwave/contract";
import { createRouter } from "./router.ts";

const at = (method: string, path: string) => ({ method, path, target: `${method} ${path}` });

describe("the router", () => {
  const router = createRouter([
    at("GET", "/v1/things"),
    at("POST", "/v1/things"),
    at("GET", "/v1/things/{id}"),
    at("GET", "/v1/things/stats"),
    at("DELETE", "/v1/things/new"),
    at("POST", "/v1/things/{id}/cancel"),
    at("DELETE", "/v1/things/stats/{name}"),
    at("GET", "/v1/boxes/{box}/things/{thing}"),
  ]);
  const found = (method: string, path: string) => {
    const one = router.find(method, path);
    return one && one.target !== null ? [one.target, one.params] : one;
  };

  it("finds literals and parameters, a literal first", () => {
    assert.deepEqual(found("GET", "/v1/things"), ["GET /v1/things", {}]);
    assert.deepEqual(found("GET", "/v1/things/stats"), ["GET /v1/things/stats", {}]);
    assert.deepEqual(found("GET", "/v1/things/a"), ["GET /v1/things/{id}", { id: "a" }]);
    assert.deepEqual(found("GET", "/v1/boxes/1/things/2"), [
      "GET /v1/boxes/{box}/things/{thing}",
      { box: "1", thing: "2" },
    ]);
  });

  it("takes a literal for a parameter if it leads nowhere else", () => {
    assert.deepEqual(found("POST", "/v1/things/stats/cancel"), [
      "POST /v1/things/{id}/cancel",
      { id: "stats" },
    ]);
  });

  it("lists the methods of a path that takes others", () => {
    assert.deepEqual(found("PUT", "/v1/things"), { target: null, allow: ["GET", "POST"] });
    assert.deepEqual(found("DELETE", "/v1/things/a"), { target: null, allow: ["GET"] });
  });

  it("takes a fixed path for itself, whatever a parameter beside it accepts", () => {
    assert.deepEqual(found("POST", "/v1/things/new"), { target: null, allow: ["DELETE"] });
    assert.deepEqual(found("GET", "/v1/things/new"), { target: null, allow: ["DELETE"] });
  });

  it("lists the methods of every path that fits", () => {
    assert.deepEqual(found("GET", "/v1/things/stats/cancel"), {
      target: null,
      allow: ["DELETE", "POST"],
    });
  });

  it("finds no route at other paths", () => {
    const paths = [
      "/",
      "",
      "/v1",
      "/v1/",
      "/v1/things/",
      "//v1/things",
      "/v1//things",
      "/V1/things",
    ];
    for (const path of [...paths, "/v1/things/a/b/c", "/v1/boxes//things/2", "/v1/things;x"]) {
      assert.equal(router.find("GET", path), null, path);
    }
  });

  it("decodes parameters and never literals", () => {
    assert.deepEqual(found("GET", "/v1/things/%2B1415"), ["GET /v1/things/{id}", { id: "+1415" }]);
    assert.deepEqual(found("GET", "/v1/things/%73tats"), ["GET /v1/things/{id}", { id: "stats" }]);
    assert.equal(router.find("GET", "/v1/%74hings"), null);
    assert.equal(router.find("GET", "/%76%31/things"), null);
  });

  it("finds no route if a parameter cannot be decoded or is too long", () => {
    assert.equal(router.find("GET", "/v1/things/%zz"), null);
    assert.equal(router.find("GET", "/v1/things/%ff"), null);
    assert.equal(router.find("GET", "/v1/things/%ed%a0%80"), null, "half of a surrogate pair");
    assert.equal(router.find("GET", "/v1/things/%00"), null);
    assert.equal(router.find("GET", "/v1/things/a%00b"), null);
    assert.equal(router.find("GET", `/v1/things/${"a".repeat(201)}`), null);
    assert.notEqual(router.find("GET", `/v1/things/${"a".repeat(200)}`), null);
  });

  it("refuses a table with two routes at one path", () => {
    const twice = [at("GET", "/v1/{a}"), at("GET", "/v1/{b}")];
    assert.throws(() => createRouter(twice), /Two routes are GET/);
  });

  it("finds every route of the API by its own path", () => {
    const table = Object.entries(routes).map(([name, spec]) => ({ ...spec, target: name }));
    const all = createRouter(table);
    for (const { method, path, target } of table) {
      const one = all.find(method, path.replaceAll(/\{\w+\}/g, "x"));
      assert.equal(one?.target, target);
    }
  });
});
