/**
 * The version of everything that decides which number a row of a file has and what its cells mean. Raise it with every change of
 * that: an apply that began with another version begins again with a dry run.
 */
export const readerVersion = 1
