import type { DescMethod, DescService } from '@bufbuild/protobuf'
import { expect } from '@jest/globals'
import { Automations } from '@lettergate/contracts/automations/v1/automations'
import { CampaignsDelivery } from '@lettergate/contracts/campaigns/v1/campaigns'
import { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import { DeadLetters } from '@lettergate/contracts/dead_letters/v1/dead_letters'
import { Identity } from '@lettergate/contracts/identity/v1/identity'
import { Imports } from '@lettergate/contracts/imports/v1/imports'
import { SendingInfra } from '@lettergate/contracts/sending/v1/sending'
import { WebhookIntake } from '@lettergate/contracts/webhooks/v1/webhooks'
import type { OpenApiDocument, Operation, Schema } from '../src/engine/load-document.ts'

const services: DescService[] = [
  Identity,
  ContactsConsent,
  SendingInfra,
  CampaignsDelivery,
  Imports,
  Automations,
  WebhookIntake,
  DeadLetters,
]
export type ObjectSchema = Schema & { properties?: Record<string, Schema> }
export interface Route {
  method: string
  path: string
  operation: Operation
}
/** Every operation of a document with its place. */
export function routesOf(document: OpenApiDocument): Route[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  )
}
/** The target of an internal reference, or undefined. */
export function pointed(document: OpenApiDocument, ref: string): unknown {
  expect(ref).toMatch(/^#\//)
  return ref
    .slice(2)
    .split('/')
    .reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], document)
}
/** The schema with references followed and the parts of `allOf` and of a nullable `anyOf` joined into one. */
export function flat(document: OpenApiDocument, schema: Schema): ObjectSchema {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1)
    return { 'x-name': name, ...flat(document, pointed(document, schema.$ref) as Schema) }
  }
  if (Array.isArray(schema.anyOf)) {
    const [first, ...others] = schema.anyOf as Schema[]
    expect(others).toEqual([{ type: 'null' }])
    return { ...flat(document, first!), type: ['object', 'null'] }
  }
  if (!Array.isArray(schema.allOf)) return schema
  const parts = (schema.allOf as Schema[]).map((part) => flat(document, part))
  return {
    type: 'object',
    properties: Object.assign({}, ...parts.map((part) => part.properties)) as Record<string, Schema>,
    required: parts.flatMap((part) => part.required as string[]),
  }
}
/** The only success status of an operation, and its response. */
export const successOf = ({ operation }: Route) =>
  Object.entries(operation.responses).find(([status]) => status.startsWith('2')) as [
    string,
    { headers: Record<string, unknown>; content: Record<string, { schema: Schema }> },
  ]

/** The service and method that `x-rpc` names; the method is undefined while the rpc does not exist. */
export function rpcOf(operation: Operation): { service?: DescService; method?: DescMethod } {
  const [typeName, rpc] = operation['x-rpc']!.split('/')
  const service = services.find((candidate) => candidate.typeName === typeName)
  return { service, method: service?.methods.find((candidate) => candidate.name === rpc) }
}
