interface Definition {
  field_key: string
  label: string
}

/** The label of each custom field by its key. One that others have too, or that is `taken`, stands with its key. */
export function fieldLabelsOf(definitions: readonly Definition[], taken: readonly string[]): Map<string, string> {
  const folded = (label: string) => label.trim().toLowerCase()
  const all = [...taken, ...definitions.map(({ label }) => label)].map(folded)
  const isShared = (label: string) => all.filter((other) => other === folded(label)).length > 1
  return new Map(
    definitions.map(({ field_key: key, label }) => [key, isShared(label) ? `${label} (custom field ${key})` : label]),
  )
}
