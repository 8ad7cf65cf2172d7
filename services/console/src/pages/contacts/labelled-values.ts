import { inWords } from '../../parts/words.ts'

const names: Record<string, string> = { ip: 'IP address', ip_address: 'IP address', url: 'URL', user_agent: 'Browser' }

const labelOf = (name: string): string =>
  names[name] ?? inWords(name).replace(/\b(id|url|ip)\b/gi, (word) => word.toUpperCase())

/** With seconds and an offset, as the API writes times. */
const isMoment = (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text)

export interface LabelledValue {
  label: string
  text: string
  /** the text is a moment */
  isMoment: boolean
}

const textOf = (value: unknown): string =>
  typeof value === 'boolean'
    ? value
      ? 'yes'
      : 'no'
    : Array.isArray(value)
      ? value.map(textOf).join(', ')
      : String(value)

/** The values of a free object, each with its name in words; those of an object in it follow the name of that object. */
export const labelledValuesOf = (object: Record<string, unknown>, within = ''): LabelledValue[] =>
  Object.entries(object).flatMap(([name, value]) => {
    const label = within ? `${within}, ${labelOf(name).toLowerCase()}` : labelOf(name)
    if (value === null || value === undefined || value === '') return []
    if (Array.isArray(value) && value.some((one) => typeof one === 'object' && one !== null))
      return value.flatMap((one, index) => labelledValuesOf({ [`${name} ${index + 1}`]: one }, within))
    if (typeof value === 'object' && !Array.isArray(value))
      return labelledValuesOf(value as Record<string, unknown>, label)
    return [{ label, text: textOf(value), isMoment: typeof value === 'string' && isMoment(value) }]
  })
