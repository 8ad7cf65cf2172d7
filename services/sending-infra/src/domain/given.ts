/** Says whether a partial write names a field: by its mask when it has one, else by the value being there. */
export const givenBy =
  (mask: { paths: readonly string[] } | undefined) =>
  (field: string, value: unknown): boolean =>
    mask ? mask.paths.includes(field) : value !== undefined
