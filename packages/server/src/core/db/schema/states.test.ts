import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as contract from "@longwave/contract";
import { MACHINES, type Machine } from "@longwave/contract";
import { NOTICE_KINDS } from "../../../surfaces/console/index.ts";
import "../../../app/assemble.ts";
import "../../../app/handlers.ts";
import "../../../app/lanes.ts";
import "../../../app/serve.ts";
import "../../../app/tasks.ts";
import { suiteKit } from "../../../../testing/suite.ts";
import { FUNCTIONS } from "../../../app/functions.ts";
import { comesFrom, isMove, leaves, sqlLiteral } from "../driver/guards.ts";
import { allStatements, type Statement } from "../driver/statement.ts";

/** Columns with a closed list of words that is no state machine. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  "account_imports.error_code": contract.IMPORT_FAILURES,
  "account_imports.phase": contract.IMPORT_PHASES,
  "account_imports.provider": contract.IMPORT_PROVIDERS,
  "accounts.live_access": contract.LIVE_ACCESS_STATES,
  "accounts.phrase_opt_out": contract.PHRASE_OPT_OUT_MODES,
  "accounts.status": contract.ACCOUNT_STATUSES,
  "api_keys.mode": contract.KEY_MODES,
  "automation_runs.mode": contract.KEY_MODES,
  "automation_runs.reentry": contract.AUTOMATION_REENTRIES,
  "automation_versions.reentry": contract.AUTOMATION_REENTRIES,
  "automations.mode": contract.KEY_MODES,
  "batches.mode": contract.KEY_MODES,
  "carrier_inbox.kind": ["receipt", "inbound"],
  "carrier_polls.kind": ["receipts", "inbound"],
  "carrier_unowned.kind": ["receipt", "inbound"],
  "kept_callbacks.kind": ["receipts", "inbound"],
  "consent_ledger.match": contract.CONSENT_MATCHES,
  "consent_ledger.mode": contract.KEY_MODES,
  "consent_ledger.status": contract.CONSENT_ENTRY_STATUSES,
  "consent_states.mode": contract.KEY_MODES,
  "consent_states.status": contract.CONSENT_STATUSES,
  "console_links.kind": ["first", "invitation", "reset"],
  "console_links.role": contract.ROLES,
  "console_notices.kind": NOTICE_KINDS,
  "conversations.mode": contract.KEY_MODES,
  "conversation_notes.mode": contract.KEY_MODES,
  "daily_sends.kind": [
    "own_phone_code",
    "sandbox_message",
    "sandbox_reply",
    "invitation_mail",
    "reset_mail",
  ],
  "imported_pools.provider": contract.IMPORT_PROVIDERS,
  "inventory_numbers.type": contract.NUMBER_TYPES,
  "delivery_alarms.mode": contract.KEY_MODES,
  "delivery_alarms.scope": contract.DELIVERABILITY_SCOPES,
  "usage_days.mode": contract.KEY_MODES,
  "delivery_hours.mode": contract.KEY_MODES,
  "request_log.mode": contract.KEY_MODES,
  "message_costs.mode": contract.KEY_MODES,
  "memberships.role": contract.ROLES,
  "numbering_ranges.line_type": contract.LINE_TYPES,
  "numbers.mode": contract.KEY_MODES,
  "numbers.sms_method": contract.SMS_METHODS,
  "numbers.type": contract.NUMBER_TYPES,
  "registrations.kind": contract.REGISTRATION_KINDS,
  "registrations.mode": contract.KEY_MODES,
  "schedule_occurrences.reason": contract.OCCURRENCE_SKIP_REASONS,
  "consent_ledger.basis": contract.CONSENT_BASES,
  "consent_states.basis": contract.CONSENT_BASES,
  "account_deletions.status": contract.ERASURE_STATUSES,
  "erasures.status": contract.ERASURE_STATUSES,
  "hook_requests.mode": contract.KEY_MODES,
  "hooks.mode": contract.KEY_MODES,
  "prices.basis": contract.PRICE_BASES,
  "prices.item": contract.PRICE_ITEMS,
  "prices.number_type": contract.NUMBER_TYPES,
  "scheduled_messages.mode": contract.KEY_MODES,
  "schedules.mode": contract.KEY_MODES,
  "schedules.pause_reason": contract.SCHEDULE_PAUSE_REASONS,

  "verifications.mode": contract.KEY_MODES,
  "webhook_deliveries.error": contract.WEBHOOK_ERRORS,
};

/** Closed lists in CHECK constraints, and every word that a check or an index compares with. */
const CHECKS = `
select c.relname as table, pg_get_constraintdef(k.oid) as text
  from pg_constraint k join pg_class c on c.oid = k.conrelid
 where k.contype = 'c' and c.relnamespace = 'public'::regnamespace and not c.relispartition
union all
select c.relname, pg_get_expr(i.indpred, i.indrelid)
  from pg_index i join pg_class c on c.oid = i.indrelid
 where i.indpred is not null and c.relnamespace = 'public'::regnamespace and not c.relispartition`;

const LIST = /^CHECK \(\((\w+) = ANY \(ARRAY\[([^\]]*)\]\)\)\)$/;
const COMPARED = /\(?(\w+)\)? (?:=|<>) (?:'(\w+)'::text|A(?:NY|LL) \(ARRAY\[([^\]]*)\]\))/g;

const wordsIn = (text: string): string[] =>
  [...text.matchAll(/'(\w+)'/g)].map(([, one]) => one ?? "");

function columnOf(machine: Machine): string {
  return `${machine.table}.${machine.column}`;
}

/** A statement or database function that makes moves. */
type Mover = Pick<Statement, "name" | "text" | "moves">;

/** Moves of existing rows: updates of a machine's column. */
function movers(machine: Machine): Mover[] {
  const updates = [
    `update\\s+${machine.table}(?:\\s+(?!set\\b)\\w+)?\\s+set\\s([\\s\\S]*?)\\b(?:from|where|returning)\\b`,
    `into\\s+${machine.table}\\b[^;]*?do update\\s+set\\s([\\s\\S]*?)\\bwhere\\b`,
  ].map((text) => new RegExp(text, "g"));
  const sets = new RegExp(`(?:^|,)\\s*${machine.column}\\s*=`);
  const all: readonly Mover[] = [...allStatements(), ...FUNCTIONS];
  return all.filter(({ text }) =>
    updates.some((update) =>
      [...text.matchAll(update)].some(([, changes = ""]) => sets.test(changes)),
    ),
  );
}

/** States that the SQL compares the machine's column with; null for a parameter. */
function guardsIn({ text }: Mover, machine: Machine): (readonly string[] | null)[] {
  const column = machine.column;
  const found: (readonly string[] | null)[] = [];
  if (new RegExp(`\\b${column} = any\\(\\$`).test(text)) found.push(null);
  for (const [, one, many] of text.matchAll(
    new RegExp(`\\b${column} (?:= '(\\w+)'|in \\(([^)]*)\\))`, "g"),
  )) {
    found.push(one ? [one] : wordsIn(many ?? ""));
  }
  for (const [, pairs = ""] of text.matchAll(
    /\(\w+\.before, \w+\.after\) in \(((?:\([^)]*\)(?:, )?)+)\)/g,
  )) {
    found.push([...pairs.matchAll(/\('(\w+)',/g)].map(([, from]) => from ?? ""));
  }
  return found;
}

/**
 * Columns of hot tables, without a CHECK; `testing/message-invariants.ts` verifies the rows that tests leave.
 */
const UNCHECKED: ReadonlySet<string> = new Set(["messages.status", "messages.billing"]);

describe("states", () => {
  const kit = suiteKit({ LONGWAVE_ROLES: "api" });

  it("every CHECK list belongs to a state machine or the contract, and vice versa", async () => {
    const expected = new Map([
      ...MACHINES.map((machine): [string, readonly string[]] => [
        columnOf(machine),
        machine.states,
      ]),
      ...Object.entries(LISTS),
    ]);
    assert.equal(expected.size, MACHINES.length + Object.keys(LISTS).length);
    const found = new Map<string, readonly string[]>();
    for (const { table, text } of await kit().rows(CHECKS)) {
      const match = LIST.exec(text);
      if (match) found.set(`${table}.${match[1]}`, wordsIn(match[2] ?? ""));
    }
    for (const column of UNCHECKED) assert.ok(expected.has(column), column);
    const checked = [...expected.keys()].filter((column) => !UNCHECKED.has(column));
    assert.deepEqual(new Set(found.keys()), new Set(checked));
    for (const [column, words] of found) {
      assert.deepEqual(new Set(words), new Set(expected.get(column)), column);
    }
  });

  it("checks and indexes name existing states only", async () => {
    let compared = 0;
    for (const { table, text } of await kit().rows(CHECKS)) {
      for (const [, column, one, many] of String(text).matchAll(COMPARED)) {
        const machine = MACHINES.find((each) => columnOf(each) === `${table}.${column}`);
        if (!machine) continue;
        for (const state of one ? [one] : wordsIn(many ?? "")) {
          compared += 1;
          assert.ok(machine.states.includes(state), `${table}: ${text}`);
        }
      }
    }
    assert.ok(compared > 50, "the schema is read");
  });

  for (const machine of MACHINES) {
    it(`the moves of ${machine.name} are made by statements that say so and are guarded`, () => {
      const made = new Set<string>();
      for (const statement of movers(machine)) {
        const moves = (statement.moves ?? []).filter((move) => move.machine === machine.name);
        assert.ok(
          moves.length > 0,
          `${statement.name} changes ${columnOf(machine)} and names no move`,
        );
        const from = new Set(moves.flatMap((move) => move.from));
        const guarded = guardsIn(statement, machine).some(
          (states) => states === null || states.every((state) => from.has(state)),
        );
        assert.ok(guarded, `${statement.name} does not check the state it leaves`);
        for (const move of moves) made.add(move.on);
      }
      assert.deepEqual(made, new Set(machine.rows.map((row) => row.on)));
    });
  }
});

describe("guards", () => {
  const moves = contract.movesOf(
    contract.defineMachine({
      name: "gate",
      table: "gates",
      column: "state",
      states: ["open", "ajar", "shut"],
      born: { open: null },
      final: [],
      rows: [
        { from: "open", on: "shut", to: "shut", emits: null },
        { from: "ajar", on: "shut", to: "shut", emits: null },
        { from: "shut", on: "open", to: "open", emits: null },
        { from: "open", on: "lean", to: "ajar", emits: null },
      ],
    }),
  );

  it("name the states that a move leaves", () => {
    assert.equal(comesFrom("d.state", moves.open), "d.state = 'shut'");
    assert.equal(comesFrom("d.state", moves.shut), "d.state in ('open', 'ajar')");
    assert.equal(leaves("d.state", "open", moves.shut, moves.lean), "d.state = 'open'");
    assert.equal(
      isMove("d.before", "d.after", moves.open, moves.lean),
      "(d.before, d.after) in (('shut', 'open'), ('open', 'ajar'))",
    );
  });

  it("refuse moves with different source states, and unknown words", () => {
    assert.throws(() => comesFrom("d.state", moves.shut, moves.open), /same states/);
    assert.throws(() => leaves("d.state", "ajar", moves.lean), /lean does not leave ajar/);
    assert.throws(() => sqlLiteral("'; drop table gates"), /not a state/);
  });
});
