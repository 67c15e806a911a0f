/** Compares in code points, as OpenAPI's maxLength does; counts them only where the UTF-16 length is above. */
export function isLonger(text: string, codePointsMax: number): boolean {
  return text.length > codePointsMax && [...text].length > codePointsMax;
}
