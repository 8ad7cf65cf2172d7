import { Ajv2020 as Ajv, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { Fault } from '@lettergate/fault'
import { formatNames, formats } from './formats.ts'
import { loadDocument, type DocumentKind, type OpenApiDocument } from './load-document.ts'

const namedMax = 20

/** Compiles the schemas of one document, with references inside it. */
export interface SchemaCompiler {
  /** `steps` is the path from the root of the document to the schema; each path is compiled once. */
  compile(steps: readonly string[]): ValidateFunction
  /** The same, but the function stops at the first error, for bodies with many values. */
  compileFirstError(steps: readonly string[]): ValidateFunction
}

const escaped = (step: string) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))

/** Number of values above which only the first error of a body is reported. */
export const valuesMax = 5_000

/** Whether a body has more values than that. Reporting all errors of such a body would block other requests for too long. */
export function hasTooManyValues(body: object): boolean {
  const waiting = [body]
  let seen = 0
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const values: unknown[] = Array.isArray(next) ? next : Object.values(next)
    seen += values.length
    if (seen > valuesMax) return true
    for (const value of values) if (typeof value === 'object' && value !== null) waiting.push(value)
  }
  return false
}

const compilers = new Map<DocumentKind, SchemaCompiler>()

/** The compiler of this document. Its schemas depend only on the files, so a process compiles each of them once. */
export function schemasOf(kind: DocumentKind): SchemaCompiler {
  const schemas = compilers.get(kind) ?? schemaCompiler(loadDocument(kind))
  compilers.set(kind, schemas)
  return schemas
}

function schemaCompiler(document: OpenApiDocument): SchemaCompiler {
  const all = compilerOf(document, { allErrors: true })
  let firstError: SchemaCompiler['compile'] | undefined
  return {
    compile: all,
    compileFirstError: (steps) => (firstError ??= compilerOf(document, { allErrors: false }))(steps),
  }
}

function compilerOf(document: OpenApiDocument, { allErrors }: { allErrors: boolean }): SchemaCompiler['compile'] {
  const ajv = new Ajv({
    allErrors,
    strict: false,
    verbose: true, // errors have their schema, for x-pattern-in-words
    validateSchema: false,
    ownProperties: true,
    validateFormats: true,
  })
  for (const [name, validate] of Object.entries(formats)) ajv.addFormat(name, { type: 'string', validate })
  ajv.addSchema({ $id: 'lettergate:document', ...document })
  const compiled = new Map<string, ValidateFunction>()
  return (steps) => {
    const $ref = `lettergate:document#/${steps.map(escaped).join('/')}`
    const known = compiled.get($ref) ?? ajv.compile({ $ref })
    compiled.set($ref, known)
    return known
  }
}

/** `/a/0/b` → `a[0].b` */
function fieldOf(error: ErrorObject): string {
  const steps = error.instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  const extra: unknown =
    error.params['missingProperty'] ?? error.params['additionalProperty'] ?? error.params['unevaluatedProperty']
  if (typeof extra === 'string') steps.push(extra)
  return (
    steps.map((step, index) => (/^\d+$/.test(step) ? `[${step}]` : index === 0 ? step : `.${step}`)).join('') || 'body'
  )
}

const words = (values: unknown) =>
  Array.isArray(values) ? values.map((value) => JSON.stringify(value)).join(', ') : JSON.stringify(values)

const typeNames: Record<string, string> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
}

function problemOf({ keyword, params, message, parentSchema }: ErrorObject): string {
  const limit: unknown = params['limit']
  switch (keyword) {
    case 'required':
      return 'is required'
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'is not a field of this request'
    case 'type':
      return `must be ${[params['type'] as string | string[]]
        .flat()
        .map((type) => typeNames[type] ?? type)
        .join(' or ')}`
    case 'enum':
      return `must be one of ${words(params['allowedValues'])}`
    case 'const':
      return `must be ${words(params['allowedValue'])}`
    case 'format':
      return `must be ${formatNames[params['format'] as string] ?? `a ${String(params['format'])}`}`
    case 'pattern':
      return `must be ${String(parentSchema?.['x-pattern-in-words'])}`
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must be at least ${String(limit)} characters long`
    case 'maxLength':
      return `must be at most ${String(limit)} characters long`
    case 'minimum':
      return `must be at least ${String(limit)}`
    case 'maximum':
      return `must be at most ${String(limit)}`
    case 'minItems':
      return `must have at least ${String(limit)} items`
    case 'maxItems':
      return `must have at most ${String(limit)} items`
    case 'maxProperties':
      return `must have at most ${String(limit)} fields`
    case 'uniqueItems':
      return 'must not repeat an item'
    default:
      return message ?? 'is not valid'
  }
}

const structural = new Set(['if', 'anyOf', 'oneOf', 'allOf', 'not', '$ref'])

/** The problems of each field, in the order in which they were found. Errors of anyOf and the like count only without errors below them. */
export function describeErrors(errors: readonly ErrorObject[]): { field: string; sentence: string }[] {
  const leaves = errors.filter((error) => !structural.has(error.keyword))
  const byField = new Map<string, Set<string>>()
  for (const error of leaves.length > 0 ? leaves : errors) {
    const field = fieldOf(error)
    const problems = byField.get(field) ?? new Set<string>()
    byField.set(field, problems.add(problemOf(error)))
  }
  return [...byField].map(([field, problems]) => ({ field, sentence: `${field} ${[...problems].join(' or ')}.` }))
}

/** Replaces line breaks, because an error page shows each line as a separate problem, and a field name of the caller may contain one. */
export const oneLine = (sentence: string): string => sentence.replaceAll(/\s+/g, ' ')

/** Throws a 422 that names each invalid field, at most twenty of them. */
export function refuseInvalid(validate: ValidateFunction, value: unknown): void {
  if (validate(value)) return
  const found = describeErrors(validate.errors ?? [])
  const shown = found
    .slice(0, namedMax)
    .map(({ sentence }) => (sentence.length > 400 ? `${sentence.slice(0, 400)}…` : sentence))
  if (found.length > namedMax) shown.push(`And ${found.length - namedMax} more.`)
  throw new Fault('invalid_argument', found[0]?.field ?? 'body', shown.map(oneLine).join('\n'))
}
