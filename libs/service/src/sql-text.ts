/**
 * A statement without the texts in it. The ORM writes values into its statements, and a trace must hold no address, token or
 * secret. Follows PostgreSQL's lexical rules (4.1.2.1) with standard_conforming_strings on.
 */
export const withoutLiterals = (statement: string): string =>
  statement.replace(/"[^"]*"|\bE'(?:[^'\\]|''|\\[^])*'?|'(?:[^']|'')*'?/gi, (found) =>
    found.startsWith('"') ? found : "'?'",
  )
