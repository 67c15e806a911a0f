/** What may hold a semicolon that ends nothing: comments, quoted texts and names, and bodies of functions. */
const PIECE =
  /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|;|[^-/'"$;]+|[\s\S]/g;

/**
 * The statements of a migration, one by one. PostgreSQL would take them all at once, but Citus hands the whole of
 * such a text on to its workers with each of them.
 */
export function statementsOf(text: string): string[] {
  const statements: string[] = [];
  let current = "";
  let isEmpty = true;
  const end = () => {
    if (!isEmpty) statements.push(current.trim());
    current = "";
    isEmpty = true;
  };
  for (const [piece] of text.matchAll(PIECE)) {
    if (piece === ";") {
      end();
      continue;
    }
    current += piece;
    const isComment = piece.startsWith("--") || piece.startsWith("/*");
    if (!isComment && piece.trim() !== "") isEmpty = false;
  }
  end();
  return statements;
}
