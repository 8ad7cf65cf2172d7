import type { DescMessage, Message } from '@bufbuild/protobuf'
import type { Timestamp } from '@bufbuild/protobuf/wkt'

/** A message of ours as the API shows it: snake_case, every field there, unset ones null, timestamps RFC 3339 with milliseconds. */
export function asJson(desc: DescMessage, message: Message): Record<string, unknown> {
  const held = message as unknown as Record<string, unknown>
  return Object.fromEntries(
    desc.fields.map((field) => {
      const value = held[field.localName]
      const render = field.message ? renderOf(field.message) : (plain: unknown) => plain
      if (value === undefined) return [field.name, null]
      if (field.fieldKind === 'list') return [field.name, (value as unknown[]).map(render)]
      if (field.fieldKind === 'map')
        return [
          field.name,
          Object.fromEntries(Object.entries(value as object).map(([key, each]) => [key, render(each)])),
        ]
      return [field.name, render(value)]
    }),
  )
}

const renderOf = (desc: DescMessage) => (value: unknown) => {
  if (desc.typeName === 'google.protobuf.Struct') return value
  if (desc.typeName !== 'google.protobuf.Timestamp') return asJson(desc, value as Message)
  const { seconds, nanos } = value as Timestamp
  return new Date(Number(seconds) * 1000 + Math.floor(nanos / 1e6)).toISOString()
}
