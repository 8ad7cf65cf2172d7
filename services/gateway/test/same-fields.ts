import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf'
import { expect } from '@jest/globals'
import type { OpenApiDocument, Schema } from '../src/engine/load-document.ts'
import { flat, type ObjectSchema } from './document-reading.ts'

/** An rpc passes it on as the program of deploy/reconstruct stored it; the document describes its fields. */
const passedOn = new Set(['lettergate.campaigns.v1.ContentValidation.source_provenance'])

const typesOf = (schema: Schema): unknown[] => [schema.type].flat()
const sorted = (names: Iterable<string>) => [...names].sort()

/** Expects the schema and the message to have the same fields of the same types, all the way down. In an answer a field may be null exactly when it is `optional` in the message. */
export function sameFields(
  document: OpenApiDocument,
  schema: ObjectSchema,
  fields: DescField[],
  { typeName }: DescMessage,
  isAnswer: boolean,
): void {
  const names = Object.keys(schema.properties ?? {})
  expect([typeName, sorted(names)]).toEqual([typeName, sorted(fields.map((field) => field.name))])
  for (const field of fields) {
    const one = flat(document, schema.properties![field.name]!)
    const at = `${typeName}.${field.name}`
    if (passedOn.has(at)) continue
    if (field.fieldKind === 'list') {
      // a request may have null for an omitted list; an answer never has
      expect([at, isAnswer ? typesOf(one) : typesOf(one).slice(0, 1)]).toEqual([at, ['array']])
      const item = flat(document, one.items as Schema)
      if (field.listKind === 'message') sameFields(document, item, field.message.fields, field.message, isAnswer)
      else expect([at, typesOf(item)]).toEqual([at, ['string']])
      continue
    }
    const type = jsonTypeOf(field)
    expect([at, typesOf(one)[0]]).toEqual([at, type])
    if (isAnswer) expect([at, typesOf(one).includes('null')]).toEqual([at, field.proto.proto3Optional])
    if (type === 'object' && field.fieldKind === 'message' && !isFree(field.message)) {
      sameFields(document, one, field.message.fields, field.message, isAnswer)
    }
  }
}
const isFree = (message: DescMessage) => message.typeName === 'google.protobuf.Struct'

function jsonTypeOf(field: DescField): string {
  if (field.fieldKind === 'map') return 'object'
  if (field.fieldKind === 'message') {
    return field.message.typeName === 'google.protobuf.Timestamp' ? 'string' : 'object'
  }
  if (field.fieldKind !== 'scalar') return 'string'
  if (field.scalar === ScalarType.BOOL) return 'boolean'
  if (field.scalar === ScalarType.DOUBLE) return 'number'
  return field.scalar === ScalarType.INT32 || field.scalar === ScalarType.INT64 ? 'integer' : 'string'
}
