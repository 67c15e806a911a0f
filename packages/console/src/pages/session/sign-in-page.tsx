import { Note } from "../../ui/problem.tsx";
import { Door } from "./door.tsx";

export function SignInPage() {
  return (
    <Door title="Sign in">
      <Note tone="blue">Sign-in is not part of this build yet.</Note>
    </Door>
  );
}
