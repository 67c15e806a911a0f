interface AuditActionSpec {
  /** Kind of the changed object; the entry holds its id. */
  readonly target: string;
  /** Description of the change, as a sentence. */
  readonly when: string;
}

/** Every action of the audit log, as `resource.verb`. */
// biome-ignore format: one action per line, read as a table
export const AUDIT_ACTIONS = {
  "account.created":         { target: "account",          when: "The operator created the account." },
  "account.deleted":         { target: "account",          when: "The operator deleted the account; the installation's own log has it." },
  "account.updated":         { target: "account",          when: "A setting of the account changed: name, status, live access, limits, treatment of plain opt-out requests." },
  "api_key.created":         { target: "api_key",          when: "A key was created." },
  "api_key.imported":        { target: "api_key",          when: "A key created elsewhere was imported by its hash." },
  "api_key.revoked":         { target: "api_key",          when: "A key was revoked." },
  "api_key.rolled":          { target: "api_key",          when: "A key was replaced by a new one with the same rights." },
  "automation.created":      { target: "automation",       when: "An automation was created." },
  "automation.deleted":      { target: "automation",       when: "An automation was deleted." },
  "automation.updated":      { target: "automation",       when: "An automation was changed, paused or resumed." },
  "credit.created":          { target: "account",          when: "The operator changed the balance." },
  "customer.created":        { target: "customer",         when: "A customer was created." },
  "customer.deleted":        { target: "customer",         when: "A customer was deleted." },
  "customer.updated":        { target: "customer",         when: "A customer was changed." },
  "hold.released":           { target: "installation",     when: "The operator released the restore guard." },
  "import.canceled":         { target: "account_import",   when: "A person stopped an import from another provider, or its preview." },
  "import.finished":         { target: "account_import",   when: "An import from another provider, or its preview, ended: complete, failed or interrupted." },
  "import.started":          { target: "account_import",   when: "An import from another provider, or its preview, was started." },
  "inventory.loaded":        { target: "inventory",        when: "The operator added numbers to the inventory." },
  "live_access.requested":   { target: "account",          when: "The account asked for live access." },
  "member.invited":          { target: "invitation",       when: "A person was invited to the console." },
  "member.joined":           { target: "user",             when: "A person accepted an invitation." },
  "member.removed":          { target: "user",             when: "A member was removed." },
  "member.role_changed":     { target: "user",             when: "A member got another role." },
  "number.purchased":        { target: "number",           when: "A number was added to the account." },
  "number.registered":       { target: "number",           when: "A number was linked to a registration." },
  "number.released":         { target: "number",           when: "A number was released." },
  "number.updated":          { target: "number",           when: "A number's name, tags or customer changed." },
  "numbering.loaded":        { target: "numbering",        when: "The operator replaced the numbering data." },
  "operator.account_opened": { target: "account",          when: "A person with the operator role viewed the account." },
  "operator.role_granted":   { target: "user",             when: "A person got the operator role." },
  "operator.role_revoked":   { target: "user",             when: "A person lost the operator role." },
  "operator_token.created":  { target: "operator_token",   when: "A named operator token was created." },
  "operator_token.revoked":  { target: "operator_token",   when: "A named operator token was revoked." },
  "operator_token.rotated":  { target: "operator_token",   when: "A named operator token got a new value." },
  "pool.created":            { target: "pool",             when: "A pool of numbers was created." },
  "pool.deleted":            { target: "pool",             when: "A pool of numbers was deleted." },
  "pool.updated":            { target: "pool",             when: "A pool's name or numbers changed." },
  "port_request.created":    { target: "port_request",     when: "A port request for a number was created." },
  "port_request.updated":    { target: "port_request",     when: "The operator advanced a port request." },
  "registration.created":    { target: "registration",     when: "A registration was created and, unless it is a draft, checked." },
  "registration.rechecked":  { target: "registration",     when: "A registration was changed and checked again." },
  "registration.reviewed":   { target: "registration",     when: "The operator took a registration into review, approved or rejected it." },
  "registration.submitted":  { target: "registration",     when: "A registration was submitted." },
  "reset_link.created":      { target: "user",             when: "A password reset link was created for a member, or mailed on request." },
  "schedule.created":        { target: "schedule",         when: "A recurring schedule was created." },
  "schedule.deleted":        { target: "schedule",         when: "A recurring schedule was deleted." },
  "schedule.paused":         { target: "schedule",         when: "A call paused a recurring schedule." },
  "schedule.resumed":        { target: "schedule",         when: "A call resumed a recurring schedule." },
  "schedule.updated":        { target: "schedule",         when: "A recurring schedule was changed." },
  "segment.created":         { target: "segment",          when: "A segment was created." },
  "segment.deleted":         { target: "segment",          when: "A segment was deleted." },
  "segment.updated":         { target: "segment",          when: "A segment's name or filter changed." },
  "session.opened":          { target: "user",             when: "A person signed in to the console." },
  "session.revoked":         { target: "user",             when: "A person ended another of their sessions." },
  "snippet.created":         { target: "snippet",          when: "A saved reply was created." },
  "snippet.deleted":         { target: "snippet",          when: "A saved reply was deleted." },
  "snippet.updated":         { target: "snippet",          when: "A saved reply was changed." },
  "spend_limit.updated":     { target: "account",          when: "The monthly spend limit or its alerts changed." },
  "topic.created":           { target: "topic",            when: "A topic was created." },
  "topic.deleted":           { target: "topic",            when: "A topic was deleted." },
  "topic.updated":           { target: "topic",            when: "A topic's name, description or default changed." },
  "user.locked":             { target: "user",             when: "Too many wrong passwords or codes locked a person out for a while." },
  "user.password_changed":   { target: "user",             when: "A person changed their password, or set a new one by a link." },
  "user.recovery_codes_renewed": { target: "user",         when: "A person created new recovery codes; the old ones no longer work." },
  "user.totp_disabled":      { target: "user",             when: "A person turned off their authenticator app." },
  "user.totp_enabled":       { target: "user",             when: "A person set up an authenticator app." },
  "verified_number.confirmed": { target: "verified_number", when: "A verified number was confirmed by its code." },
  "verified_number.created": { target: "verified_number",  when: "A phone was added to the verified numbers." },
  "verified_number.deleted": { target: "verified_number",  when: "A phone was removed from the verified numbers." },
  "verify_block.lifted":     { target: "verify_block",     when: "The operator lifted a block of fraud protection." },
  "webhook.created":         { target: "webhook_endpoint", when: "A webhook endpoint was created." },
  "webhook.deleted":         { target: "webhook_endpoint", when: "A webhook endpoint was deleted." },
  "webhook.secret_rotated":  { target: "webhook_endpoint", when: "A webhook endpoint got a new secret." },
  "webhook.updated":         { target: "webhook_endpoint", when: "A webhook endpoint was changed." },
} as const satisfies Record<string, AuditActionSpec>;

export type AuditAction = keyof typeof AUDIT_ACTIONS;
export const AUDIT_ACTION_NAMES = Object.keys(AUDIT_ACTIONS) as AuditAction[];

/** Kinds of actors that make changes. */
export const AUDIT_ACTORS = ["api_key", "operator", "user", "system"] as const;
export type AuditActor = (typeof AUDIT_ACTORS)[number];
