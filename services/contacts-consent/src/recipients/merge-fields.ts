import type { JsonObject, JsonValue } from '@bufbuild/protobuf'

interface Person {
  readonly email: string
  readonly first_name: string | null
  readonly last_name: string | null
  readonly company: string | null
  readonly country_code: string | null
  readonly custom_fields: JsonObject
}

const asText = (value: JsonValue): string => {
  if (Array.isArray(value)) return value.map(asText).join(', ')
  return typeof value === 'object' ? '' : String(value)
}

/** Token name to value, of those asked for, else of all. Blank and missing values are absent, so that a content's own default takes their place. */
export function mergeFields(person: Person, asked?: ReadonlySet<string>): Record<string, string> {
  const { email, first_name, last_name, company, country_code } = person
  const all: Record<string, JsonValue> = {
    ...person.custom_fields,
    email,
    first_name,
    last_name,
    company,
    country_code,
  }
  const fields: Record<string, string> = {}
  for (const name of asked ?? Object.keys(all)) {
    const text = Object.hasOwn(all, name) ? asText(all[name]!) : ''
    if (text.trim() !== '') fields[name] = text
  }
  return fields
}
