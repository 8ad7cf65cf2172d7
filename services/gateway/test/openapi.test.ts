import { describe, expect, test } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { loadDocument, type Parameter, type Schema } from '../src/engine/load-document.ts'
import { flat, pointed, routesOf, rpcOf, successOf } from './document-reading.ts'
import { consoleOperations, publicOperations } from './operation-list.ts'
import { sameFields } from './same-fields.ts'

const W = '/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}'
const CW = '/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}'
const handlers = [
  'health',
  'readiness',
  'openapiDocument',
  'docs',
  'preferencePage',
  'preferenceUse',
  'preferenceChoices',
  'confirmationPage',
  'confirmationUse',
  'providerWebhook',
  'exportCampaignRunRecipients',
  'previewContentVersion',
  'exportAuditChain',
  'exportAuditLog',
]
/** Content versions, schedules, exports, test webhooks, consent proofs; operations with a large body or a file as answer are also expensive. */
const expensiveNames = /^(createContentVersion|schedule|export|testCampaignWebhook|getConsentProof)/
const safetyClasses = ['database-only', 'external checks', 'test delivery', 'production path']

/** Fields that are optional in the specification; an answer always has every other field. */
const optionalInAnswers = new Set([
  'ContentValidation.source_provenance',
  'PreflightCheck.evidence',
  'PreflightCheck.remediation',
  'AutomationEdge.condition',
  'AutomationValidation.reconstruction_review',
  'AutomationValidation.source_provenance',
  'SourceProvenance.source_checksum',
  'SourceProvenance.source_hashes',
  'SourceProvenance.transformation',
  'SourceProvenance.workflow_graph_sha256',
])
/** Request fields that the gateway sets: the names of the given fields, and the credential of a source. */
const filledByTheEngine = ['google.protobuf.FieldMask', 'lettergate.contacts.v1.PresentedCredential']
const sorted = (names: Iterable<string>) => [...names].sort()

const publicDocument = loadDocument('public')
const consoleDocument = loadDocument('console')

test('the public document is OpenAPI 3.1 with the interface version and the four credentials', () => {
  expect(publicDocument.openapi).toBe('3.1.0')
  expect(publicDocument.info.version).toBe('2026-07-28')
  expect(sorted(Object.keys(publicDocument.components.securitySchemes!))).toEqual([
    'browserSession',
    'serviceKey',
    'sourceCredential',
    'walletBearer',
  ])
})

describe.each([
  { kind: 'public', document: publicDocument, expected: publicOperations },
  { kind: 'console', document: consoleDocument, expected: consoleOperations },
])('the $kind document', ({ kind, document, expected }) => {
  const routes = routesOf(document)
  const schemas = document.components.schemas

  test('offers exactly the operations of the interface, each under its capability and ownership rule', () => {
    const offered = routes.map(({ method, path, operation }) =>
      [
        method.toUpperCase(),
        path.replace(CW, 'CW').replace(W, 'W'),
        operation['x-credential'] === 'source' ? 'source' : operation['x-capability'],
        operation['x-ownership'],
      ]
        .filter(Boolean)
        .join(' '),
    )
    expect(sorted(offered)).toEqual(sorted(expected))
  })

  test('names every operation once, after its rpc where it has one', () => {
    const names = routes.map(({ operation }) => operation.operationId)
    expect(new Set(names).size).toBe(names.length)
    for (const { operation } of routes) {
      expect(operation.operationId).toMatch(/^[a-z][A-Za-z]+$/)
      const rpc = operation['x-rpc']?.split('/')[1]
      if (rpc) expect(operation.operationId).toBe(rpc[0]!.toLowerCase() + rpc.slice(1))
    }
  })

  test.each(routes)('$method $path has all fields that the engine needs, with valid values', (route) => {
    const { operation, path } = route
    expect(Boolean(operation['x-rpc'])).toBe(!operation['x-handler'])
    if (operation['x-rpc']) expect(rpcOf(operation).service?.typeName).toBeDefined()
    else expect(handlers).toContain(operation['x-handler'])
    expect(operation['x-served-by']).toBe(operation['x-handler'] === 'providerWebhook' ? 'webhook-intake' : undefined)

    expect(safetyClasses).toContain(operation['x-safety-class'])
    expect(['operator', 'source', 'public']).toContain(operation['x-credential'])
    expect(operation['x-capability'] === 'public').toBe(operation['x-credential'] !== 'operator')
    expect(operation['x-permission'] !== undefined).toBe(operation['x-credential'] === 'source')
    const capabilities = publicDocument.components.schemas.Capability!.enum as string[]
    expect([...capabilities, 'authenticated', 'public']).toContain(operation['x-capability'])
    const isOwnersAlone =
      operation['x-capability'] === 'authenticated' && operation['x-ownership'] === 'workspace_owner'
    if ((path.startsWith(W) || (path.startsWith(CW) && !isOwnersAlone)) && operation['x-credential'] === 'operator') {
      expect(capabilities).toContain(operation['x-capability'])
    }

    for (const name of operation['x-preconditions'] ?? []) {
      const { input, output } = rpcOf({ ...operation, 'x-rpc': name }).method!
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).slice(2)
      const asked = name.endsWith('/RequireConfirmationEmail') ? ['sender_identity_id', 'content_version_id'] : inPath
      expect([name, input.fields.map((field) => field.name), output.fields]).toEqual([name, asked, []])
    }

    const schemes = operation.security.map((alternative) => Object.keys(alternative).join())
    const people = kind === 'console' ? ['browserSession'] : ['walletBearer', 'browserSession']
    const reachesServiceKey = kind === 'public' && ['authenticated', 'edit_content'].includes(operation['x-capability'])
    const taken = { public: [], source: ['sourceCredential'], operator: people }[operation['x-credential']]
    expect(schemes).toEqual(reachesServiceKey ? [...taken, 'serviceKey'] : taken)

    const tags = (document.tags as { name: string }[]).map((tag) => tag.name)
    for (const tag of operation.tags) expect(tags).toContain(tag)
    expect(operation.summary).toMatch(/^[A-Z].{5,58}[^.]$/)
    expect(operation.description.length).toBeGreaterThan(10)
  })

  test('has a unique summary for every operation', () => {
    const summaries = routes.map(({ operation }) => operation.summary)
    expect(sorted(summaries)).toEqual(sorted(new Set(summaries)))
  })

  test.each(routes)('$method $path describes its callers and its effects', ({ operation }) => {
    expect(operation.description).toContain(`**Safety class \`${operation['x-safety-class']}\`:** `)
    const isPublic = operation['x-capability'] === 'public' || operation['x-capability'] === 'authenticated'
    expect(operation.description).toContain('**Who may call it:** ')
    if (!isPublic) expect(operation.description).toContain(`the capability \`${operation['x-capability']}\``)
  })

  test.each(routes)('$method $path has the lower rate exactly when it is expensive', (route) => {
    const { operation } = route
    const isExpensive =
      operation['x-credential'] === 'operator' &&
      (expensiveNames.test(operation.operationId) ||
        (operation['x-body-limit'] ?? 0) > 1_048_576 ||
        !Object.keys(successOf(route)[1].content ?? {}).some((type) =>
          ['application/json', 'text/html'].includes(type),
        ))
    expect([operation.operationId, operation['x-rate-class']]).toEqual([
      operation.operationId,
      isExpensive ? 'expensive' : undefined,
    ])
  })

  test.each(routes)('$method $path declares its path parameters and its answers', (route) => {
    const { operation, path } = route
    const parameters = operation.parameters.map((parameter) =>
      '$ref' in parameter ? (pointed(document, parameter.$ref) as Parameter) : parameter,
    )
    const inPath = parameters.filter((parameter) => parameter.in === 'path').map((parameter) => parameter.name)
    expect(inPath).toEqual([...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]))

    const [status, success] = successOf(route)
    const creates = ['createAudience', 'uploadImport'].includes(operation.operationId)
    expect(status).toBe(creates ? '201' : '200')
    expect(success.headers['X-Correlation-ID']).toBeDefined()
    for (const [code, response] of Object.entries(operation.responses)) {
      if (code === status || code === 'default') continue
      expect(response).toEqual({ $ref: `#/components/responses/${code}` })
    }
  })

  test('holds only references that resolve, and no schema that nothing refers to', () => {
    const refs = new Set([...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1]!))
    for (const ref of refs) expect([ref, pointed(document, ref)]).not.toEqual([ref, undefined])
    expect(Object.keys(schemas).filter((name) => !refs.has(`#/components/schemas/${name}`))).toEqual([])
  })

  test('holds only schemas that ajv compiles in strict mode', () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true })
    addFormats.default(ajv)
    for (const format of ['email', 'https-url', 'origin']) ajv.addFormat(format, true)
    ajv.addVocabulary(['openapi', 'info', 'servers', 'tags', 'paths', 'components', 'x-pattern-in-words'])
    ajv.addSchema({ ...document, $id: 'openapi' })
    const pointers = Object.keys(schemas).map((name) => `components/schemas/${name}`)
    for (const { method, path, operation } of routes) {
      const at = `paths/${encodeURIComponent(path.replaceAll('/', '~1'))}/${method}`
      operation.parameters.forEach((parameter, index) => {
        if ('schema' in parameter) pointers.push(`${at}/parameters/${index}/schema`)
      })
    }
    for (const pointer of pointers) ajv.compile({ $ref: `openapi#/${pointer}` })
    expect(pointers.length).toBeGreaterThan(Object.keys(schemas).length)
  })

  test('requires every field of an answer, except those that are optional in the specification', () => {
    const seen = new Set<string>()
    const check = (schema: Schema, where: string) => {
      const one = flat(document, schema)
      const name = (one['x-name'] as string | undefined) ?? where
      if (seen.has(name)) return
      if (one['x-name']) seen.add(name)
      if (one.items) check(one.items as Schema, `${name}[]`)
      if (!one.properties) return
      const promised = Object.keys(one.properties).filter((field) => !optionalInAnswers.has(`${name}.${field}`))
      expect([name, sorted(one.required as string[])]).toEqual([name, sorted(promised)])
      for (const [field, inner] of Object.entries(one.properties)) check(inner, `${name}.${field}`)
    }
    for (const route of routes) {
      const content = successOf(route)[1].content
      if (content['application/json']) check(content['application/json'].schema, route.operation.operationId)
    }
  })

  const offered = routes.filter(({ operation }) => operation['x-rpc'] && rpcOf(operation).method)
  test.each(offered)('$method $path and its rpc have the same fields, in both directions', (route) => {
    const { input, output } = rpcOf(route.operation).method!
    const body = Object.values(route.operation.requestBody?.content ?? {})[0]?.schema
    const properties: Record<string, Schema> = { ...(body && flat(document, body).properties) }
    for (const parameter of route.operation.parameters) {
      const {
        name,
        schema,
        in: place,
      } = '$ref' in parameter ? (pointed(document, parameter.$ref) as Parameter) : parameter
      if (['organization_slug', 'workspace_slug'].includes(name)) continue
      properties[place === 'header' ? 'idempotency_key' : name] = schema
    }
    if (route.operation['x-payload-sha256']) properties['payload_sha256'] = { type: 'string' }
    // The engine sends the file of a form as bytes, and the name of the file with the other fields.
    const form = input.fields.find(({ name, oneof }) => name === 'form' && oneof)?.message
    if (form) {
      delete properties['file']
      properties['filename'] = { type: 'string' }
    }
    const asked = form ?? input
    const fields = asked.fields.filter((field) => !filledByTheEngine.includes(field.message?.typeName ?? ''))
    sameFields(document, { properties }, fields, asked, false)

    const answer = Object.values(successOf(route)[1].content)[0]!.schema
    sameFields(document, flat(document, answer), output.fields, output, true)
  })
})
