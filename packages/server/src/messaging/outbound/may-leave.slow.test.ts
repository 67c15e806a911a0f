/** Every kind of waiting message with every reason not to send it. */
import { testMayLeave } from "../../../testing/may-leave.ts";

testMayLeave({ isWhole: true });
