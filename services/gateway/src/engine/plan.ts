import type { ValidateFunction } from 'ajv'
import { isCapability, type Capability } from '../domain/capabilities.ts'
import { isUuid, parseUuid } from '@lettergate/values/uuid'
import type { DocumentKind, Method, OpenApiDocument, Operation, Parameter, Reference, Schema } from './load-document.ts'
import type { QueryRule } from './check-query.ts'
import type { FormPlan } from './read-form.ts'
import { schemasOf, type SchemaCompiler } from './validate.ts'

export type Permission = NonNullable<Operation['x-permission']>

/** One operation of a document, compiled for requests. */
export interface Plan {
  operationId: string
  document: DocumentKind
  /** upper case */
  method: string
  template: string
  rpc: string | undefined
  /** rpcs of other services that may refuse the operation before its own rpc is called */
  preconditions: readonly string[]
  handler: string | undefined
  credential: Operation['x-credential']
  capability: Capability | 'authenticated' | 'public'
  ownership: Operation['x-ownership']
  safetyClass: Operation['x-safety-class']
  /** the permission that a source's grant must have; only for source operations */
  permission: Permission | undefined
  rateLimit: Operation['x-rate-limit']
  rateClass: Operation['x-rate-class']
  idempotency: { min: number; max: number } | undefined
  bodyBytesMax: number
  /** whether the rpc gets the hash of the body */
  sendsPayloadSha256: boolean
  /** undefined: the operation has no body, and a sent body is not read */
  validateBody: ValidateFunction | undefined
  /** Finds only the first error; for bodies with many values; compiled when first used. */
  validateLargeBody(this: void): ValidateFunction
  /** the operation takes a form with a file, not JSON */
  form: FormPlan | undefined
  query: readonly QueryRule[]
  /** whether these path values can exist */
  canExist(params: Record<string, string>): boolean
  /** The values of the path for the owning service: ids in lower case. */
  pathValues(params: Record<string, string>): Record<string, string>
  status: number
  /** Compiled when first used: replies are checked only in tests and on the local stack. */
  validateReply(this: void): ValidateFunction | undefined
}

const defaultBodyBytesMax = 1_048_576
const multipart = 'multipart/form-data'
const json = 'application/json'

const resolveParameter = (
  document: OpenApiDocument,
  parameter: Parameter | Reference,
): { parameter: Parameter; name: string | undefined } => {
  if (!('$ref' in parameter)) return { parameter, name: undefined }
  const name = parameter.$ref.split('/').at(-1)!
  return { parameter: document.components.parameters[name]!, name }
}

function capabilityOf({ operationId, 'x-capability': name }: Operation): Plan['capability'] {
  if (name === 'authenticated' || name === 'public' || isCapability(name)) return name
  throw new Error(`${operationId} asks for ${name}, which is no capability`)
}

function permissionOf({ operationId, ...operation }: Operation): Permission | undefined {
  const permission = operation['x-permission']
  if ((permission === undefined) === (operation['x-credential'] === 'source'))
    throw new Error(`${operationId}: source operations name an x-permission, and no others do`)
  return permission
}

/** The one field of the form that has a `contentMediaType` is its file. */
function formPlanOf(document: OpenApiDocument, operation: Operation, validate: () => FormPlan['validate']) {
  const declared = operation.requestBody?.content[multipart]?.schema
  if (!declared) return undefined
  const name = String(declared['$ref']).split('/').at(-1)!
  const { properties } = document.components.schemas[name] as { properties: Record<string, Schema> }
  const [file, ...others] = Object.keys(properties).filter((field) => 'contentMediaType' in properties[field]!)
  if (file === undefined || others.length > 0) throw new Error(`${operation.operationId}: a form has one file`)
  return {
    file,
    fileType: String(properties[file]!['contentMediaType']),
    fields: new Set(Object.keys(properties).filter((field) => field !== file)),
    validate: validate(),
  }
}

function planOf(
  kind: DocumentKind,
  document: OpenApiDocument,
  schemas: SchemaCompiler,
  path: string,
  method: Method,
  operation: Operation,
): Plan {
  const at = ['paths', path, method]
  const parameters = operation.parameters.map((declared, index) => {
    const { parameter, name } = resolveParameter(document, declared)
    const validate = schemas.compile(
      name === undefined
        ? [...at, 'parameters', String(index), 'schema']
        : ['components', 'parameters', name, 'schema'],
    )
    return { parameter, validate }
  })
  const pathRules = parameters.filter(({ parameter }) => parameter.in === 'path')
  const isIdParameter = new Set(
    pathRules.flatMap(({ parameter }) => (parameter['x-format'] === 'uuid' ? [parameter.name] : [])),
  )
  const success = Object.keys(operation.responses).find((status) => /^2\d\d$/.test(status))
  const reply = success === undefined ? undefined : operation.responses[success]
  const hasJsonReply = reply !== undefined && !('$ref' in reply) && reply.content?.[json] !== undefined
  const hasJsonBody = operation.requestBody?.content[json] !== undefined
  const bodySchema = [...at, 'requestBody', 'content', json, 'schema']
  return {
    operationId: operation.operationId,
    document: kind,
    method: method.toUpperCase(),
    template: path,
    rpc: operation['x-rpc'],
    preconditions: operation['x-preconditions'] ?? [],
    handler: operation['x-handler'],
    credential: operation['x-credential'],
    capability: capabilityOf(operation),
    ownership: operation['x-ownership'],
    safetyClass: operation['x-safety-class'],
    permission: permissionOf(operation),
    rateLimit: operation['x-rate-limit'],
    rateClass: operation['x-rate-class'],
    idempotency: operation['x-idempotency'],
    bodyBytesMax: operation['x-body-limit'] ?? defaultBodyBytesMax,
    sendsPayloadSha256: operation['x-payload-sha256'] ?? false,
    validateBody: hasJsonBody ? schemas.compile(bodySchema) : undefined,
    validateLargeBody: () => schemas.compileFirstError(bodySchema),
    form: formPlanOf(document, operation, () =>
      schemas.compile([...at, 'requestBody', 'content', multipart, 'schema']),
    ),
    query: parameters.filter(({ parameter }) => parameter.in === 'query'),
    canExist: (params) =>
      pathRules.every(({ parameter, validate }) => {
        const value = params[parameter.name] ?? ''
        return (parameter['x-format'] === 'uuid' ? isUuid(value) : !value.includes('\u0000')) && validate(value)
      }),
    pathValues: (params) =>
      Object.fromEntries(
        Object.entries(params).map(([name, value]) => [name, (isIdParameter.has(name) && parseUuid(value)) || value]),
      ),
    status: Number(success ?? 200),
    validateReply: () =>
      hasJsonReply ? schemas.compile([...at, 'responses', success!, 'content', json, 'schema']) : undefined,
  }
}

/** Every operation that this process answers. Throws at boot for an operation that the engine cannot execute. */
export function plansOf(kind: DocumentKind, document: OpenApiDocument): Plan[] {
  const schemas = schemasOf(kind)
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => operation['x-served-by'] === undefined)
      .map(([method, operation]) => planOf(kind, document, schemas, path, method as Method, operation)),
  )
}
