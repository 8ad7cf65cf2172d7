import { loadDocument, type Schema } from '@lettergate/gateway/load-document'
import { callableOperations, type CallableOperation } from './client-code.ts'

const slugs = ['organization_slug', 'workspace_slug']
/** Operations that are no use to an agent: the document itself is larger than what it can read. */
const left = ['getOpenapiDocument']

/** A copy of a schema for a tool: references lead to `$defs`, and what only the gateway reads is left out. */
function plain(schema: unknown, named: (name: string) => void): unknown {
  if (Array.isArray(schema)) return schema.map((part) => plain(part, named))
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !key.startsWith('x-') && key !== 'example')
      .map(([key, value]) => {
        if (key !== '$ref' || typeof value !== 'string') return [key, plain(value, named)]
        const name = value.split('/').at(-1)!
        named(name)
        return [key, `#/$defs/${name}`]
      }),
  )
}

function inputSchemaOf({ parameters, body, operation }: CallableOperation, schemas: Record<string, Schema>) {
  const $defs: Record<string, unknown> = {}
  const named = (name: string): void => {
    if (name in $defs) return
    $defs[name] = {}
    $defs[name] = plain(schemas[name], named)
  }
  const own = parameters.filter(({ name }) => !slugs.includes(name))
  const properties = Object.fromEntries([
    ...own.map(({ name, schema, description }) => [
      name,
      plain({ ...schema, ...(description ? { description } : {}) }, named),
    ]),
    ...(body ? [['body', plain(body.schema, named)]] : []),
  ]) as Record<string, unknown>
  const required = own.filter((parameter) => parameter.in === 'path' || parameter.required).map(({ name }) => name)
  if (body?.required) required.push('body')
  const key = operation['x-idempotency']
  if (key) {
    const description = 'A new key for each intended action. Send the same key when you repeat that action.'
    properties['idempotency_key'] = { type: 'string', minLength: key.min, maxLength: key.max, description }
    required.push('idempotency_key')
  }
  return { type: 'object', properties, required, ...(Object.keys($defs).length > 0 ? { $defs } : {}) }
}

/** The tools of the MCP server: one for each operation of the public API that operators may call. */
export function toolCode(): string {
  const { components } = loadDocument('public')
  const tools = callableOperations('public')
    .filter(({ id, operation }) => operation['x-credential'] !== 'source' && !left.includes(id))
    .map((callable) => ({
      name: callable.id,
      title: callable.operation.summary,
      description: `${callable.operation.summary}. ${callable.operation.description.replaceAll('**', '')}`,
      method: callable.method,
      safetyClass: callable.operation['x-safety-class'],
      capability: callable.operation['x-capability'],
      ...(callable.body?.type === 'form' ? { takesFile: true } : {}),
      ...(callable.operation['x-idempotency'] ? { takesKey: true } : {}),
      inputSchema: inputSchemaOf(callable, components.schemas),
    }))
  return `// Made by \`make proto\` from services/gateway/openapi; a test checks that it is current. Do not edit.
import type { Tool } from '../src/tool.ts'

/** Every operation of the public API as a tool. */
export const tools: readonly Tool[] = ${JSON.stringify(tools, null, 2)}
`
}
