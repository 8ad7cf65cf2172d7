import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { loadDocument, type OpenApiDocument } from '../src/engine/load-document.ts'
import { routesOf } from './document-reading.ts'
import { gatewayStage, type GatewayStage } from './gateway-stage.ts'

/** The operations that are documented and answer 501. A new rpc removes one from this list; the list must not grow. */
const notOffered = ['createSyntheticRehearsal', 'getSyntheticRehearsal']

let gateway: GatewayStage
beforeAll(async () => {
  gateway = await gatewayStage()
})
afterAll(() => gateway.close())

test('the engine has exactly these operations as not available', () => {
  expect([...gateway.notOffered].sort()).toEqual(notOffered)
})

test('the served document lists a 501 for exactly these operations', async () => {
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

test('exactly these operations answer 501 over HTTP, after the caller is authorised', async () => {
  const operations = routesOf(loadDocument('public')).filter(
    ({ operation }) => operation['x-served-by'] === undefined && operation['x-credential'] !== 'public',
  )
  // all at once, because a list of a service that does not run waits for its deadline
  const statuses = await Promise.all(
    operations.map(async ({ path: template, method, operation }) => {
      // with ids of missing objects the request does not reach another service
      const path = template
        .replace('{organization_slug}', 'acme')
        .replace('{workspace_slug}', 'newsletter')
        .replaceAll(/\{\w+\}/g, 'no-id')
      const isSource = operation['x-credential'] === 'source'
      const credential = isSource
        ? { authorization: 'Bearer lgs_some-credential' }
        : { authorization: 'Bearer wallet-session-dev-owner' }
      const body = method === 'get' ? {} : { body: {} }
      const { status: withoutCredential } = await gateway.call(method.toUpperCase(), path, body)
      const { status } = await gateway.call(method.toUpperCase(), path, { headers: credential, ...body })
      return { name: operation.operationId, withoutCredential, status }
    }),
  )
  for (const { name, withoutCredential, status } of statuses) {
    expect({ name, withoutCredential }).toEqual({ name, withoutCredential: 401 })
    // 503: the caller was authorised, and the service does not run in this test
    expect({ name, isServerError: status >= 500 && ![501, 503].includes(status) }).toEqual({
      name,
      isServerError: false,
    })
  }
  const answered = statuses.filter(({ status }) => status === 501).map(({ name }) => name)
  expect(answered.sort()).toEqual(notOffered)
})
