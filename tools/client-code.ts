import { loadDocument, type DocumentKind, type Operation, type Schema } from '@lettergate/gateway/load-document'

/** One operation of the documents as a caller sees it. */
export interface CallableOperation {
  id: string
  method: string
  path: string
  operation: Operation
  /** the parameters of the path and of the query */
  parameters: CallableParameter[]
  body?: { type: 'json' | 'form'; schema: Schema; required: boolean }
  answer: { type: 'json' | 'text'; schema: Schema }
}

interface CallableParameter {
  name: string
  in: 'path' | 'query'
  required: boolean
  description?: string
  schema: Schema
}

const bodyTypes = { 'application/json': 'json', 'multipart/form-data': 'form' } as const

/** The operations of a document for programs: without the pages for people, and without the webhook of the mail provider. */
export function callableOperations(kind: DocumentKind): CallableOperation[] {
  const { paths, components } = loadDocument(kind)
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      const answer = answerOf(operation)
      const isForOthers = ['preferences', 'webhook'].includes(operation['x-rate-limit'] ?? '')
      if (answer === undefined || isForOthers) return []
      const parameters = operation.parameters
        .map((parameter) =>
          '$ref' in parameter ? components.parameters[parameter.$ref.split('/').at(-1)!]! : parameter,
        )
        .filter((parameter) => parameter.in === 'path' || parameter.in === 'query')
        .map((parameter) => ({ required: false, ...parameter, in: parameter.in as 'path' | 'query' }))
      return [
        {
          id: operation.operationId,
          method: method.toUpperCase(),
          path,
          operation,
          parameters,
          ...bodyOf(operation),
          answer,
        },
      ]
    }),
  )
}

function answerOf({ responses }: Operation): CallableOperation['answer'] | undefined {
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))![1]
  const content = ('content' in success && success.content) || {}
  const json = content['application/json']
  if (json) return { type: 'json', schema: json.schema }
  const [type, text] = Object.entries(content)[0] ?? []
  return text && type !== 'text/html' ? { type: 'text', schema: text.schema } : undefined
}

function bodyOf({ requestBody }: Operation): Pick<CallableOperation, 'body'> {
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? []
  if (!content) return {}
  const known = bodyTypes[type as keyof typeof bodyTypes]
  if (!known) throw new Error(`A client cannot send a body of type ${type}.`)
  return { body: { type: known, schema: content.schema, required: requestBody!.required ?? false } }
}

const plainName = /^[A-Za-z_]\w*$/
const nameOf = (name: string) => (plainName.test(name) ? name : JSON.stringify(name))

/** A comment of the documents above a line of code. */
function comment(text: unknown, indent: string): string {
  if (typeof text !== 'string' || text === '') return ''
  const lines = text.trim().replaceAll('*/', '* /').split('\n')
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`
}

/** The TypeScript type of a JSON Schema, with the keywords that the documents use. */
export function typeOf(schema: Schema, indent = ''): string {
  const {
    $ref,
    allOf,
    anyOf,
    enum: values,
    type,
  } = schema as {
    $ref?: string
    allOf?: Schema[]
    anyOf?: Schema[]
    enum?: unknown[]
    type?: string | string[]
  }
  if ($ref !== undefined) return $ref.split('/').at(-1)!
  if ('const' in schema) return JSON.stringify(schema['const'])
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (allOf) return [...allOf.map((part) => typeOf(part, indent)), ...restOf(schema, 'allOf', indent)].join(' & ')
  // Schemas beside `anyOf` only say which properties are needed together; a type cannot say it.
  if (anyOf && type === undefined) return anyOf.map((part) => typeOf(part, indent)).join(' | ')
  const types = Array.isArray(type) ? type : [type]
  return types.map((one) => typeOfOne(one, schema, indent)).join(' | ')
}

function restOf(schema: Schema, without: string, indent: string): string[] {
  const { [without]: _, description: __, ...rest } = schema
  return 'properties' in rest ? [typeOf(rest, indent)] : []
}

function typeOfOne(type: string | undefined, schema: Schema, indent: string): string {
  switch (type) {
    case 'string':
      return 'contentMediaType' in schema ? 'Blob' : 'string'
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'null':
      return 'null'
    case 'array': {
      const items = typeOf((schema['items'] as Schema | undefined) ?? {}, indent)
      return /^\w+$/.test(items) ? `${items}[]` : `(${items})[]`
    }
    case 'object':
      return typeOfObject(schema, indent)
    case undefined:
      return 'properties' in schema ? typeOfObject(schema, indent) : 'unknown'
    default:
      throw new Error(`The type ${type} has no TypeScript type.`)
  }
}

function typeOfObject(schema: Schema, indent: string): string {
  const {
    properties,
    required = [],
    additionalProperties,
  } = schema as {
    properties?: Record<string, Schema>
    required?: string[]
    additionalProperties?: Schema | boolean
  }
  if (!properties) {
    const value = typeof additionalProperties === 'object' ? typeOf(additionalProperties, indent) : 'unknown'
    return `Record<string, ${value}>`
  }
  const inner = `${indent}  `
  const lines = Object.entries(properties).map(
    ([name, property]) =>
      `${comment(property['description'], inner)}${inner}${nameOf(name)}${required.includes(name) ? '' : '?'}: ${typeOf(property, inner)}`,
  )
  return `{\n${lines.join('\n')}\n${indent}}`
}

/** The input of an operation: the parameters of path and query, `body`, and the idempotency key where it needs one. */
function inputOf({ id, parameters, body, operation }: CallableOperation): string {
  const names = parameters.map(({ name }) => name)
  if (new Set([...names, 'body', 'idempotency_key']).size !== names.length + 2)
    throw new Error(`${id} has two parameters of one name.`)
  const properties: Record<string, Schema> = Object.fromEntries(
    parameters.map(({ name, schema, description }) => [
      name,
      description === undefined ? schema : { ...schema, description },
    ]),
  )
  if (body) properties['body'] = body.schema
  if (operation['x-idempotency'])
    properties['idempotency_key'] = {
      type: 'string',
      description: 'One key for each intended action; see `idempotencyKey()`.',
    }
  const required = [
    ...parameters.filter((parameter) => parameter.in === 'path' || parameter.required).map(({ name }) => name),
    ...(body?.required ? ['body'] : []),
    'idempotency_key',
  ]
  return typeOf({ type: 'object', properties, required }, '    ')
}

function declaration({ id, operation, answer, ...callable }: CallableOperation): string {
  const about = `${operation.summary}.\n\n${operation.description}`
  const input = inputOf({ id, operation, answer, ...callable })
  return `${comment(about, '  ')}  ${id}: {\n    input: ${input}\n    output: ${typeOf(answer.schema, '    ')}\n  }`
}

function route({ id, method, path, parameters, body, answer, operation }: CallableOperation): string {
  const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
  const facts = {
    method,
    path,
    ...(query.length > 0 ? { query } : {}),
    ...(body ? { body: body.type } : {}),
    ...(answer.type === 'text' ? { answer: answer.type } : {}),
    ...(operation['x-idempotency'] ? { takesKey: true } : {}),
  }
  const fields = Object.entries(facts).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  return `  ${id}: { ${fields.join(', ')} },`
}

const operationsOf = { public: 'ApiOperations', console: 'ConsoleOperations' } as const

/** The types of a document, its operations, and how each is requested, as one TypeScript module. */
export function clientCode(kind: DocumentKind): string {
  const { components, info } = loadDocument(kind)
  const operations = callableOperations(kind)
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `${comment(schema['description'], '')}export type ${name} = ${typeOf(schema)}`,
  )
  return `// Made by \`make proto\` from services/gateway/openapi; a test checks that it is current. Do not edit.
import type { Route } from '../src/route.ts'

${schemas.join('\n\n')}

/** The version of the document. */
export const versionOfApi = '${info.version}'

/** Every operation by its id, with its input and the JSON or text of its success. */
export interface ${operationsOf[kind]} {
${operations.map(declaration).join('\n')}
}

/** How each operation is requested. */
export const routes: Record<keyof ${operationsOf[kind]}, Route> = {
${operations.map(route).join('\n')}
}
`
}
