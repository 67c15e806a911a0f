import assert from "node:assert/strict";
import { test } from "node:test";
import type { Hook, HookPreset } from "@longwave/sdk";
import {
  createBody,
  declarationOf,
  EMPTY_FORM,
  formOf,
  InvalidJson,
  OWN_DECLARATION,
  updateBody,
  withPreset,
} from "./hook-form.ts";

const NOVU: HookPreset = {
  object: "hook_preset",
  name: "novu",
  title: "Novu",
  declaration: { purpose: "messages", to: ["to"], body: "{{content}}" },
  needs_recipients: false,
  secret_from_program: false,
  setup: "",
  source: "",
  sample: "{}",
};
const PRESETS = [NOVU];
const HOOK: Hook = {
  id: "hook_1",
  object: "hook",
  name: "Novu",
  mode: "test",
  preset: "novu",
  from: "+15005550100",
  recipients: [],
  declaration: NOVU.declaration,
  messages_per_minute: 60,
  messages_per_phone_hour: 20,
  active: true,
  url: "/hooks/hook_1",
  created_at: "2026-01-01T00:00:00Z",
};

test("a preset names the hook, until a person does", () => {
  const chosen = withPreset(EMPTY_FORM, "novu", PRESETS);
  assert.equal(chosen.name, "Novu");
  assert.equal(withPreset(chosen, "", PRESETS).name, "");
  assert.equal(withPreset({ ...chosen, name: "Mine" }, "", PRESETS).name, "Mine");
});

test("a preset is sent by its name, with the text if that was changed", () => {
  const form = { ...withPreset(EMPTY_FORM, "novu", PRESETS), from: "+15005550100" };
  const plain = { name: "Novu", from: "+15005550100", preset: "novu" };
  assert.deepEqual(createBody(form, PRESETS), plain);
  const declaration = { ...form.declaration, body: "Novu: {{content}}" };
  assert.deepEqual(createBody({ ...form, declaration }, PRESETS), {
    ...plain,
    body: "Novu: {{content}}",
  });
});

test("a declaration of the account's own is sent whole, from its fields or from JSON", () => {
  const form = { ...EMPTY_FORM, name: "Desk", recipients: "+15005550000; (500) 555-0001,\n" };
  assert.deepEqual(createBody(form, PRESETS), {
    name: "Desk",
    from: "",
    declaration: OWN_DECLARATION,
    recipients: ["+15005550000", "(500) 555-0001"],
  });
  const typed = { ...withPreset(form, "novu", PRESETS), json: '{"purpose":"alerts","body":"x"}' };
  assert.deepEqual(createBody(typed, PRESETS).declaration, { purpose: "alerts", body: "x" });
  assert.equal(createBody(typed, PRESETS).preset, undefined);
  assert.throws(() => declarationOf({ ...typed, json: "{" }), InvalidJson);
});

test("an edit keeps the preset unless the declaration was typed", () => {
  const form = formOf(HOOK);
  const same = { name: "Novu", from: HOOK.from, recipients: [] };
  const limits = { messages_per_minute: 60, messages_per_phone_hour: 20 };
  assert.deepEqual(updateBody(form, HOOK), { ...same, ...limits });
  const body = "Novu: {{content}}";
  const declaration = { ...HOOK.declaration, body };
  assert.deepEqual(updateBody({ ...form, declaration }, HOOK), { ...same, body, ...limits });
  const own = { ...HOOK, preset: null };
  assert.deepEqual(updateBody({ ...form, declaration }, own).declaration, declaration);
  assert.deepEqual(updateBody({ ...form, json: '{"body":"x"}' }, HOOK).declaration, { body: "x" });
});
