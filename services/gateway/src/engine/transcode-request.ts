import { fromJson, ScalarType, type DescField, type DescMessage, type JsonValue } from '@bufbuild/protobuf'
import { ListValueSchema, ValueSchema } from '@bufbuild/protobuf/wkt'
import { Fault } from '@lettergate/fault'
import { parseMoment } from '@lettergate/values/moment'

/** Converts JSON with field names to the init object of a protobuf message; compiled once for each message at boot. */

type Json = Record<string, unknown>
/** Returns undefined for null, which leaves the field unset. `path` is the name of the value in errors. */
type Convert = (value: unknown, path: string) => unknown

const refuse = (path: string, expected: string): never => {
  throw new Fault('invalid_argument', path, `${path} must be ${expected}.`)
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const integerIn =
  (min: number, max: number): Convert =>
  (value, path) =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
      ? value
      : refuse(path, `a whole number from ${min} to ${max}`)

const bigInteger: Convert = (value, path) =>
  typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : refuse(path, 'a whole number')

const text: Convert = (value, path) => (typeof value === 'string' ? value : refuse(path, 'a text'))
const truth: Convert = (value, path) => (typeof value === 'boolean' ? value : refuse(path, 'true or false'))
const number: Convert = (value, path) =>
  typeof value === 'number' && Number.isFinite(value) ? value : refuse(path, 'a number')

function scalar(type: ScalarType, where: string): Convert {
  switch (type) {
    case ScalarType.STRING:
      return text
    case ScalarType.BOOL:
      return truth
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return number
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return integerIn(-2_147_483_648, 2_147_483_647)
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return integerIn(0, 4_294_967_295)
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return bigInteger
    case ScalarType.BYTES:
      throw new Error(`${where} is bytes, which JSON requests cannot carry`)
  }
}

const timestamp: Convert = (value, path) =>
  (typeof value === 'string' ? parseMoment(value) : undefined) ??
  refuse(path, 'a date and time that exists, with an offset')

const struct: Convert = (value, path) => (isObject(value) ? value : refuse(path, 'an object'))

const wellKnown: Readonly<Record<string, Convert>> = {
  'google.protobuf.Timestamp': timestamp,
  'google.protobuf.Struct': struct,
  'google.protobuf.Value': (value) => fromJson(ValueSchema, value as JsonValue),
  'google.protobuf.ListValue': (value, path) =>
    Array.isArray(value) ? fromJson(ListValueSchema, value as JsonValue) : refuse(path, 'a list'),
}

const compiled = new Map<string, (input: Json, prefix: string) => Json>()

function message(desc: DescMessage): Convert {
  const known = wellKnown[desc.typeName]
  if (known) return known
  return (value, path) => (isObject(value) ? compileMessage(desc)(value, `${path}.`) : refuse(path, 'an object'))
}

function single(field: DescField & { fieldKind: 'scalar' | 'message' }): Convert {
  return field.fieldKind === 'scalar' ? scalar(field.scalar, field.toString()) : message(field.message)
}

function convertField(field: DescField): Convert {
  if (field.oneof) throw new Error(`${field.toString()} is in a oneof, which JSON requests do not know`)
  if (field.fieldKind === 'scalar' || field.fieldKind === 'message') return single(field)
  if (field.fieldKind === 'enum') throw new Error(`${field.toString()} is an enum; requests carry words as strings`)
  if (field.fieldKind === 'list') {
    if (field.listKind === 'enum') throw new Error(`${field.toString()} lists an enum`)
    const item = field.listKind === 'scalar' ? scalar(field.scalar, field.toString()) : message(field.message)
    return (value, path) =>
      Array.isArray(value) ? value.map((entry, index) => item(entry, `${path}[${index}]`)) : refuse(path, 'a list')
  }
  if (field.mapKind === 'enum' || field.mapKey !== ScalarType.STRING)
    throw new Error(`${field.toString()} is a map that JSON requests do not know`)
  const item = field.mapKind === 'scalar' ? scalar(field.scalar, field.toString()) : message(field.message)
  return (value, path) =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, item(entry, `${path}.${key}`)]))
      : refuse(path, 'an object')
}

/** Fields have their protobuf name; unknown fields are dropped. Throws for a message that JSON cannot fill. */
function compileMessage(desc: DescMessage): (input: Json, prefix: string) => Json {
  const known = compiled.get(desc.typeName)
  if (known) return known
  const fields = desc.fields
    .filter((field) => !(field.fieldKind === 'message' && field.message.typeName === 'google.protobuf.FieldMask'))
    .map((field) => ({ name: field.name, key: field.localName, convert: convertField(field) }))
  const convert = (input: Json, prefix: string): Json => {
    const init: Json = {}
    for (const { name, key, convert: convertOne } of fields) {
      if (!Object.hasOwn(input, name)) continue
      const value = input[name]
      if (value !== null && value !== undefined) init[key] = convertOne(value, `${prefix}${name}`)
    }
    return init
  }
  compiled.set(desc.typeName, convert)
  return convert
}

/** The parts of an operation's request. For the same name, the path wins over the query and the query over the body. */
export interface RequestParts {
  path: Json
  query: Json
  body: Json
  idempotencyKey: string | undefined
  /** hash of the body, for operations that need it */
  payloadSha256?: string | undefined
}

/**
 * The converter of one rpc's request. `update_mask`, if the message has one, names the fields of the body, with null ones;
 * `idempotency_key` is that of the header, if the operation has one, and `payload_sha256` the hash of the body, if the operation
 * sends it.
 */
export function compileRequest(desc: DescMessage): (parts: RequestParts) => object {
  const convert = compileMessage(desc)
  const mask = desc.fields.find((field) => field.name === 'update_mask')
  const maskable = new Set(desc.fields.filter((field) => field !== mask).map((field) => field.name))
  return ({ path, query, body, idempotencyKey, payloadSha256 }) => {
    const input = {
      ...body,
      ...query,
      ...path,
      ...(idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey }),
      ...(payloadSha256 === undefined ? {} : { payload_sha256: payloadSha256 }),
    }
    const init = convert(input, '')
    if (mask) init[mask.localName] = { paths: Object.keys(body).filter((key) => maskable.has(key)) }
    return init
  }
}
