import { readFileSync } from 'node:fs'
import { load } from 'js-yaml'
import type { Ownership } from '../domain/capabilities.ts'
import { describeAccess } from './describe-access.ts'

export type DocumentKind = 'public' | 'console'
/** A JSON Schema (2020-12) of the document. */
export type Schema = Record<string, unknown>
export interface Reference {
  $ref: string
}
export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header' | 'cookie'
  required?: boolean
  description?: string
  schema: Schema
  /** A path value that is not a UUID cannot exist: the engine answers 404. */
  'x-format'?: 'uuid'
}
export type Content = Record<string, { schema: Schema; example?: unknown }>
export interface Response {
  description: string
  headers?: Record<string, unknown>
  content?: Content
}
export type Method = 'get' | 'put' | 'post' | 'delete' | 'patch'

export interface Operation {
  operationId: string
  summary: string
  description: string
  tags: string[]
  /** The accepted credentials, each alone: walletBearer, browserSession, serviceKey, sourceCredential. Empty means public. */
  security: Record<string, string[]>[]
  parameters: (Parameter | Reference)[]
  requestBody?: { required?: boolean; content: Content }
  responses: Record<string, Response | Reference>
  /** `lettergate.<area>.v1.<Service>/<Rpc>`; absent when `x-handler` is given. */
  'x-rpc'?: string
  /** Rpcs that may refuse the operation; they are called first, in this order, with the parameters of the path. */
  'x-preconditions'?: string[]
  /** The gateway's own handler of this name; absent when `x-rpc` is given. */
  'x-handler'?: string
  /** Another process serves this route; the gateway has no route for it. */
  'x-served-by'?: 'webhook-intake'
  /** A capability of the matrix, or `authenticated` (any known user), or `public`. */
  'x-capability': string
  'x-ownership'?: Ownership | 'platform_owner_or_administrator'
  'x-safety-class': 'database-only' | 'external checks' | 'test delivery' | 'production path'
  'x-credential': 'operator' | 'source' | 'public'
  /** The permission that a grant of the wallet must have, besides the source; only where `x-credential` is source. */
  'x-permission'?: 'events.write' | 'audiences.read'
  'x-idempotency'?: { header: true; min: number; max: number }
  /** The rpc also gets the SHA-256 of the body as RFC 8785 JSON, as `payload_sha256`: a replay must have the same body. */
  'x-payload-sha256'?: true
  /** Largest body in bytes; 1 MiB when absent. */
  'x-body-limit'?: number
  /** The limiter of a public endpoint; none when absent. */
  'x-rate-limit'?: 'preferences' | 'webhook' | 'source_events'
  /** Needs much more work than others: callers have a lower rate for all such operations together. */
  'x-rate-class'?: 'expensive'
}
export type PathItem = Partial<Record<Method, Operation>>
export interface OpenApiDocument {
  openapi: string
  info: { title: string; version: string } & Record<string, unknown>
  paths: Record<string, PathItem>
  components: Record<string, Record<string, unknown>> & {
    parameters: Record<string, Parameter>
    schemas: Record<string, Schema>
  }
  [field: string]: unknown
}

type Yaml = Record<string, unknown>
/** An operation of the files, without the parts that follow from its other fields. */
type WrittenOperation = Omit<Operation, 'security' | 'parameters' | 'responses'> & {
  parameters?: (Parameter | Reference)[]
  responses: Record<string, Response>
  /** Error statuses that do not follow from the other fields. */
  'x-errors'?: number[]
}

const folder = new URL('../../openapi/', import.meta.url)
const roots = { public: 'openapi.yaml', console: 'console/openapi.yaml' }
const loaded = new Map<DocumentKind, OpenApiDocument>()

/**
 * One complete OpenAPI 3.1 object from its files, synchronously: all references are internal, and every operation has its
 * path parameters, security, error responses and correlation header. Throws when two files define the same name. A process
 * reads the files once; each call returns a copy, which the caller may change.
 */
export function loadDocument(kind: DocumentKind): OpenApiDocument {
  const document = loaded.get(kind) ?? readDocument(kind)
  loaded.set(kind, document)
  return structuredClone(document)
}

function readDocument(kind: DocumentKind): OpenApiDocument {
  const { 'x-files': files, ...root } = readYaml(roots[kind]) as Yaml & {
    'x-files': { paths: string[]; components: string[]; schemas: string[] }
  }
  const components: Yaml = {}
  for (const file of files.components) mergeNew(components, readYaml(file), file)
  const schemas: Yaml = {}
  for (const file of files.schemas) mergeNew(schemas, readYaml(file), file)
  const written: Yaml = {}
  for (const file of files.paths) mergeNew(written, readYaml(file), file)

  const paths: Record<string, PathItem> = {}
  for (const [path, item] of Object.entries(written as Record<string, Record<Method, WrittenOperation>>)) {
    paths[path] = Object.fromEntries(
      Object.entries(item).map(([method, operation]) => [method, completeOperation(kind, path, operation)]),
    )
  }
  const document = { ...root, paths, components: { parameters: {}, ...components, schemas } } as OpenApiDocument
  describePatterns(document)
  return document
}

/** Adds the meaning of the pattern to the description of each schema with a pattern. Throws for a pattern without words. */
function describePatterns(node: unknown): void {
  if (typeof node !== 'object' || node === null) return
  for (const value of Object.values(node)) describePatterns(value)
  const schema = node as Schema
  if (typeof schema['pattern'] !== 'string') return
  const words = schema['x-pattern-in-words']
  if (typeof words !== 'string') throw new Error(`The pattern ${schema['pattern']} needs x-pattern-in-words.`)
  const meaning = `Must be ${words}.`
  const { description } = schema
  if (typeof description !== 'string') schema['description'] = meaning
  else if (!description.endsWith(meaning)) schema['description'] = `${description} ${meaning}` // YAML aliases are visited twice
}

function readYaml(file: string): Yaml {
  return load(readFileSync(new URL(file, folder), 'utf8')) as Yaml
}

function mergeNew(into: Yaml, from: Yaml, file: string): void {
  for (const [name, value] of Object.entries(from)) {
    if (name in into) throw new Error(`${file} defines ${name} again; remove one of the two definitions.`)
    into[name] = value
  }
}

function completeOperation(kind: DocumentKind, path: string, written: WrittenOperation): Operation {
  const { 'x-errors': ownErrors = [], responses, parameters: declared = [], ...operation } = written
  const parameters = [...pathParameters(path, declared), ...declared, ...idempotencyKey(written)]
  const completed: Record<string, Response | Reference> = {}
  for (const [status, response] of Object.entries(responses)) {
    completed[status] = {
      ...response,
      headers: { 'X-Correlation-ID': { $ref: '#/components/headers/CorrelationId' }, ...response.headers },
    }
  }
  for (const status of [...errorsOf(path, written), ...ownErrors, 'default']) {
    completed[status] ??= { $ref: `#/components/responses/${status}` }
  }
  const description = `${written.description.trim()}\n\n${describeAccess(written)}`
  return { ...operation, description, security: securityOf(kind, written), parameters, responses: completed }
}

function pathParameters(path: string, declared: (Parameter | Reference)[]): Reference[] {
  const own = new Set(declared.flatMap((parameter) => ('name' in parameter ? [parameter.name] : [])))
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!)
  return names.filter((name) => !own.has(name)).map((name) => ({ $ref: `#/components/parameters/${name}` }))
}

function idempotencyKey({ 'x-idempotency': rule }: WrittenOperation): Parameter[] {
  if (!rule) return []
  const description = 'The same key with the same payload answers the original; with another payload it is 409.'
  const schema = { type: 'string', minLength: rule.min, maxLength: rule.max }
  return [{ name: 'Idempotency-Key', in: 'header', required: true, description, schema }]
}

/** A service key is accepted without a capability and for `edit_content`; the console accepts only browser sessions. */
function securityOf(kind: DocumentKind, operation: WrittenOperation): Record<string, string[]>[] {
  const schemes: string[] = []
  if (operation['x-credential'] === 'source') schemes.push('sourceCredential')
  if (operation['x-credential'] === 'operator') {
    if (kind === 'public') schemes.push('walletBearer')
    schemes.push('browserSession')
    if (kind === 'public' && ['authenticated', 'edit_content'].includes(operation['x-capability']))
      schemes.push('serviceKey')
  }
  return schemes.map((scheme) => ({ [scheme]: [] }))
}

/** The error statuses of every operation of this kind. */
function errorsOf(path: string, operation: WrittenOperation): number[] {
  const errors: number[] = []
  const needsNoRight = operation['x-capability'] === 'authenticated' && !operation['x-ownership']
  if (operation['x-credential'] !== 'public') errors.push(401, 429, 503)
  if (operation['x-credential'] !== 'public' && !needsNoRight) errors.push(403)
  if (path.includes('{')) errors.push(404)
  if (operation.requestBody) errors.push(400, 413, 415, 422)
  if (operation['x-idempotency']) errors.push(409, 422)
  if (operation['x-rate-limit']) errors.push(429)
  return errors
}

/** Sets the limit of the environment for the files of forms. */
export function limitForms(document: OpenApiDocument, fileBytesMax: number): void {
  for (const operation of Object.values(document.paths).flatMap((item) => Object.values(item)))
    if (operation.requestBody?.content['multipart/form-data']) operation['x-body-limit'] = fileBytesMax
}
