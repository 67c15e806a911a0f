/** A phone as most carriers write it. */
export function digitsOf(phone: string): string {
  return phone.replace(/^\+/, "");
}

/** Numbers of our countries in E.164; a short code or a name as it is. */
export function phoneOf(address: string): string {
  const digits = digitsOf(address);
  if (/^1\d{10}$/.test(digits)) return `+${digits}`;
  if (/^\d{10}$/.test(digits)) return `+1${digits}`;
  return address;
}
