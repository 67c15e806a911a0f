import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { INVENTORY_STATUSES, NUMBER_TYPES } from "../enums.ts";
import { Input, ListQuery, Page, PhoneInput, SingleLine, StringEnum } from "../fields.ts";
import { INVENTORY_LOAD_NUMBERS_MAX, LARGE_BODY_BYTES_MAX, NAME_CHARS_MAX } from "../limits.ts";
import { InventoryLoad, InventoryNumber } from "../schemas/number.ts";

const TAG = "Operator";
const Words = SingleLine({ minLength: 1, maxLength: NAME_CHARS_MAX });

/** Inventory of live numbers that accounts buy from. */
export const operatorInventoryRoutes = defineRoutes({
  "operator.inventory.create": {
    method: "POST",
    path: "/operator/v1/inventory",
    scope: "operator",
    tag: TAG,
    summary: "Add live numbers to the stock",
    description: "A number that is in the stock already is skipped; a malformed one refuses all.",
    bodyBytesMax: LARGE_BODY_BYTES_MAX,
    body: Input({
      numbers: Type.Array(
        Input({
          phone_number: PhoneInput(),
          type: StringEnum(NUMBER_TYPES),
          locality: Type.Optional(Words),
          region: Type.Optional(Words),
          carrier: Type.Optional(Words),
        }),
        { minItems: 1, maxItems: INVENTORY_LOAD_NUMBERS_MAX },
      ),
    }),
    answers: { 200: InventoryLoad },
    errors: [],
    example: {
      body: {
        numbers: [{ phone_number: "+12065550142", type: "local", locality: "Seattle" }],
      },
      status: 200,
    },
  },
  "operator.inventory.list": {
    method: "GET",
    path: "/operator/v1/inventory",
    scope: "operator",
    tag: TAG,
    summary: "List the stock, newest first",
    description: "Each with its status: for sale, sold, or resting.",
    query: ListQuery({ status: Type.Optional(StringEnum(INVENTORY_STATUSES)) }),
    answers: { 200: Page(InventoryNumber) },
    errors: [],
    example: { query: { status: "available" }, status: 200 },
  },
});
