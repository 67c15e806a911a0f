/** Whether some input makes the expression slower than linear. */
export function isSlow(expression: { readonly pattern: string; readonly flags: string }): boolean;
