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

/** The values of the requested tokens, or of all. Blank and missing values are left out, so that the default in the content is used. */
export function mergeFields(person: Person, requested?: ReadonlySet<string>): Record<string, string> {
  const { email, first_name, last_name, company, country_code } = person
  const all: Record<string, JsonValue> = {
    ...person.custom_fields,
    email,
    first_name,
    last_name,
    company,
    country_code,
  }
  // The link of a confirmation email, which no field of a contact may choose.
  delete all['confirmation_url']
  const fields: Record<string, string> = {}
  for (const name of requested ?? Object.keys(all)) {
    const text = Object.hasOwn(all, name) ? asText(all[name]!) : ''
    if (text.trim() !== '') fields[name] = text
  }
  return fields
}
