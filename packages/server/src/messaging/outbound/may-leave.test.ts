import { testMayLeave } from "../../../testing/may-leave.ts";

testMayLeave({ isWhole: false });
