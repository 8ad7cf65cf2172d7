import { defaultOptionsFilter, type ComboboxItem, type OptionsFilter } from '@mantine/core'

/** How many choices a list draws at once: a workspace may have 10,000 tags. */
export const drawnMost = 50

/** The first choices that contain what was typed; after them, as one that cannot be chosen, how many more do. */
export const firstChoices: OptionsFilter = ({ options, search }) => {
  const matching = defaultOptionsFilter({ options, search, limit: Infinity }) as ReturnType<OptionsFilter>
  const more = matching.length - drawnMost
  if (more <= 0) return matching
  const label = `${more.toLocaleString('en')} more. Type a part of the name.`
  return [...matching.slice(0, drawnMost), { value: label, label, disabled: true } satisfies ComboboxItem]
}
