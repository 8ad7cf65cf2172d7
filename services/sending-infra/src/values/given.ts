/** Whether a partial update contains a field: by its mask if it has one, otherwise by the presence of the value. */
export const givenBy =
  (mask: { paths: readonly string[] } | undefined) =>
  (field: string, value: unknown): boolean =>
    mask ? mask.paths.includes(field) : value !== undefined
