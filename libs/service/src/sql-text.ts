/**
 * A statement without its text literals. The ORM writes values into its statements, and a trace must not contain an address, a
 * token or a secret. Follows the lexical rules of PostgreSQL (4.1.2.1) with standard_conforming_strings on.
 */
export const withoutLiterals = (statement: string): string =>
  statement.replace(/"[^"]*"|\bE'(?:[^'\\]|''|\\[^])*'?|'(?:[^']|'')*'?/gi, (found) =>
    found.startsWith('"') ? found : "'?'",
  )
