import { getOption, ScalarType, toJson, type DescField, type DescMessage, type Message } from '@bufbuild/protobuf'
import { type ListValue, ListValueSchema, type Timestamp, type Value, ValueSchema } from '@bufbuild/protobuf/wkt'
import { left_out_when_unset } from '@lettergate/contracts/rpc/v1/options'

type Json = Record<string, unknown>
type Render = (value: unknown) => unknown

const asIs: Render = (value) => value
/** Our numbers stay far below 2^53; a larger one becomes a string, so that no digit is lost. */
const bigInteger: Render = (value) => (Number.isSafeInteger(Number(value)) ? Number(value) : String(value))

const longs: ReadonlySet<ScalarType> = new Set([
  ScalarType.INT64,
  ScalarType.UINT64,
  ScalarType.SINT64,
  ScalarType.FIXED64,
  ScalarType.SFIXED64,
])

function scalar(type: ScalarType, where: string): Render {
  if (type === ScalarType.BYTES) throw new Error(`${where} is bytes, which this JSON does not support`)
  return longs.has(type) ? bigInteger : asIs
}

const timestamp: Render = (value) => {
  const { seconds, nanos } = value as Timestamp
  return new Date(Number(seconds) * 1000 + Math.floor(nanos / 1e6)).toISOString()
}

const wellKnown: Readonly<Record<string, Render>> = {
  'google.protobuf.Timestamp': timestamp,
  // protobuf-es stores a Struct field as its JSON object
  'google.protobuf.Struct': asIs,
  'google.protobuf.Value': (value) => toJson(ValueSchema, value as Value),
  'google.protobuf.ListValue': (value) => toJson(ListValueSchema, value as ListValue),
}

const compiled = new Map<string, (message: Json) => Json>()

function message(desc: DescMessage): Render {
  const known = wellKnown[desc.typeName]
  return known ?? ((value) => compileMessage(desc)(value as Json))
}

function renderField(field: DescField): Render {
  if (field.oneof) throw new Error(`${field.toString()} is in a oneof, which this JSON does not support`)
  switch (field.fieldKind) {
    case 'scalar':
      return scalar(field.scalar, field.toString())
    case 'message':
      return message(field.message)
    case 'enum':
      throw new Error(`${field.toString()} is an enum; use a string`)
    case 'list': {
      if (field.listKind === 'enum') throw new Error(`${field.toString()} lists an enum`)
      const item = field.listKind === 'scalar' ? scalar(field.scalar, field.toString()) : message(field.message)
      return item === asIs ? asIs : (value) => (value as unknown[]).map(item)
    }
    case 'map': {
      if (field.mapKind === 'enum') throw new Error(`${field.toString()} maps to an enum`)
      const item = field.mapKind === 'scalar' ? scalar(field.scalar, field.toString()) : message(field.message)
      return item === asIs
        ? asIs
        : (value) => Object.fromEntries(Object.entries(value as Json).map(([key, entry]) => [key, item(entry)]))
    }
  }
}

/** An unset field that is declared so is left out. A Struct that is not optional is a free object, `{}` when it is empty; every other unset field is null. */
function whenUnset(field: DescField): unknown {
  if (getOption(field, left_out_when_unset)) return undefined
  return field.fieldKind === 'message' &&
    field.message.typeName === 'google.protobuf.Struct' &&
    !field.proto.proto3Optional
    ? {}
    : null
}

function compileMessage(desc: DescMessage): (message: Json) => Json {
  const known = compiled.get(desc.typeName)
  if (known) return known
  const fields = desc.fields.map((field) => ({
    name: field.name,
    key: field.localName,
    render: renderField(field),
    unset: whenUnset(field),
  }))
  const convert = (value: Json): Json => {
    const json: Json = {}
    for (const { name, key, render, unset } of fields) {
      const held = value[key]
      const shown = held === undefined ? unset : render(held)
      if (shown !== undefined) json[name] = shown
    }
    return json
  }
  compiled.set(desc.typeName, convert)
  return convert
}

/** Compiles the JSON renderer of a message: every field is present, an unset optional one is null, timestamps are RFC 3339 with Z. */
export function compileJson(desc: DescMessage): (message: Message) => Record<string, unknown> {
  const convert = compileMessage(desc)
  return (given) => convert(given as unknown as Json)
}
