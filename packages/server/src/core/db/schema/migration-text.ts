/**
 * Tokens that may contain a semicolon without ending a statement: comments, quoted strings and names, function bodies.
 */
const PIECE =
  /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|;|[^-/'"$;]+|[\s\S]/g;

/**
 * Splits a migration into statements. PostgreSQL would take the whole file at once, but Citus forwards the whole string
 * to its workers with every statement in it.
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
