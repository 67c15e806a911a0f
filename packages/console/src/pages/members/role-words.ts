import { ROLES, type Role } from "@longwave/contract/tables";

export const ROLE_WORDS: Readonly<Record<Role, string>> = {
  viewer: "Viewer: reads everything but keys",
  member: "Member: sends, replies, runs batches",
  admin: "Admin: keys, members, secrets, numbers",
  owner: "Owner: everything",
};

export const ROLE_CHOICES = ROLES.map((role) => ({ value: role, label: ROLE_WORDS[role] }));
