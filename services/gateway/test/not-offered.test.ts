import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { loadDocument, type OpenApiDocument } from '../src/engine/load-document.ts'
import { gatewayStage, type GatewayStage } from './gateway-stage.ts'

/** The operations that are described and not offered yet. Adding an rpc shortens this list; nothing may lengthen it. */
const notOffered = [
  'approveImport',
  'archiveAutomation',
  'cancelImport',
  'controlEnrollment',
  'createAutomation',
  'createAutomationVersion',
  'createSyntheticEnrollment',
  'createSyntheticRehearsal',
  'getAutomation',
  'getAutomationVersion',
  'getEnrollment',
  'getImport',
  'getPreflight',
  'getSyntheticRehearsal',
  'listAutomations',
  'listEnrollments',
  'listImports',
  'listMappingProfiles',
  'mapImport',
  'markAutomationReadyForReview',
  'restoreAutomation',
  'retryImport',
  'runPreflight',
  'uploadImport',
]

let gateway: GatewayStage
beforeAll(async () => {
  gateway = await gatewayStage()
})
afterAll(() => gateway.close())

test('the engine counts exactly these operations as not offered', () => {
  expect([...gateway.notOffered].sort()).toEqual(notOffered)
})

test('the document that is served says of exactly these operations that they answer 501', async () => {
  const { paths } = (await gateway.call('GET', '/api/v1/openapi.json')).json as unknown as OpenApiDocument
  const operations = Object.values(paths).flatMap((item) => Object.values(item))
  const marked = operations.filter((operation) => operation['x-not-offered'])
  expect(marked.map(({ operationId }) => operationId).sort()).toEqual(notOffered)
  for (const { summary, description, responses } of operations)
    expect([summary.includes('(not offered yet)'), description.includes('answers 501')]).toEqual(
      '501' in responses ? [true, true] : [false, false],
    )
  expect(marked.filter(({ responses }) => '501' in responses)).toHaveLength(notOffered.length)
})

test('exactly these operations answer 501 over HTTP, and none of them before the caller is admitted', async () => {
  const answered: string[] = []
  for (const [template, item] of Object.entries(loadDocument('public').paths)) {
    for (const [method, operation] of Object.entries(item)) {
      if (operation['x-served-by'] !== undefined || operation['x-credential'] === 'public') continue
      // ids that name nothing keep the question from going further than the gateway
      const path = template
        .replace('{organization_slug}', 'acme')
        .replace('{workspace_slug}', 'newsletter')
        .replaceAll(/\{\w+\}/g, 'no-id')
      const isSource = operation['x-credential'] === 'source'
      const credential = isSource
        ? { authorization: 'Bearer lgs_some-credential' }
        : { authorization: 'Bearer wallet-session-dev-owner' }
      const body = method === 'get' ? {} : { body: {} }
      expect((await gateway.call(method.toUpperCase(), path, body)).status).toBe(401)
      const { status } = await gateway.call(method.toUpperCase(), path, { headers: credential, ...body })
      if (status === 501) answered.push(operation.operationId)
      else
        // 503: admitted, and asked of a service that does not stand on this stage
        expect({ operation: operation.operationId, isServerError: status >= 500 && status !== 503 }).toEqual({
          operation: operation.operationId,
          isServerError: false,
        })
    }
  }
  expect(answered.sort()).toEqual(notOffered)
})
