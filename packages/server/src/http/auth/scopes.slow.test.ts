/** Every route × every scope and full access × both modes. */
import { testScopes } from "../../../testing/scope-walk.ts";

testScopes({ isWhole: true });
