import type { ValidateFunction } from 'ajv'
import { isCapability, type Capability } from '../domain/capabilities.ts'
import { isUuid, parseUuid } from '@lettergate/values/uuid'
import type { DocumentKind, Method, OpenApiDocument, Operation, Parameter, Reference } from './load-document.ts'
import type { QueryRule } from './check-query.ts'
import { schemaCompiler, type SchemaCompiler } from './validate.ts'

export type Permission = NonNullable<Operation['x-permission']>

/** One operation of a document with everything compiled that a request would otherwise have to look up. */
export interface Plan {
  operationId: string
  document: DocumentKind
  /** upper case */
  method: string
  template: string
  rpc: string | undefined
  /** rpcs of other services that may refuse the operation before its own rpc is asked */
  preconditions: readonly string[]
  handler: string | undefined
  credential: Operation['x-credential']
  capability: Capability | 'authenticated' | 'public'
  ownership: Operation['x-ownership']
  safetyClass: Operation['x-safety-class']
  /** what a source's grant must hold; only source operations have one */
  permission: Permission | undefined
  rateLimit: Operation['x-rate-limit']
  rateClass: Operation['x-rate-class']
  idempotency: { min: number; max: number } | undefined
  bodyBytesMax: number
  /** the rpc is handed the hash of the body, too */
  handsOnPayloadSha256: boolean
  /** undefined: the operation has no body, and one that is sent is not read */
  validateBody: ValidateFunction | undefined
  /** Finds the first mistake only; compiled when a body is first that crowded. */
  validateCrowdedBody(this: void): ValidateFunction
  query: readonly QueryRule[]
  /** whether the values name anything that could exist */
  namesSomething(params: Record<string, string>): boolean
  /** The values of the path as the owning service is asked: ids in lower case, whatever case they came in. */
  pathValues(params: Record<string, string>): Record<string, string>
  status: number
  /** Compiled when first asked for: replies are checked in tests and on the local stack only. */
  validateReply(this: void): ValidateFunction | undefined
}

const defaultBodyBytesMax = 1_048_576
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
    handsOnPayloadSha256: operation['x-payload-sha256'] ?? false,
    validateBody: hasJsonBody ? schemas.compile(bodySchema) : undefined,
    validateCrowdedBody: () => schemas.compileBrief(bodySchema),
    query: parameters.filter(({ parameter }) => parameter.in === 'query'),
    namesSomething: (params) =>
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

/** Every operation that this process answers. Throws at boot for what the engine could not carry out. */
export function plansOf(kind: DocumentKind, document: OpenApiDocument): Plan[] {
  const schemas = schemaCompiler(document)
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => operation['x-served-by'] === undefined)
      .map(([method, operation]) => planOf(kind, document, schemas, path, method as Method, operation)),
  )
}
