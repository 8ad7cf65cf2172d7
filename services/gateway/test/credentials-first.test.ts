import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { loadDocument } from '../src/engine/load-document.ts'
import { routesOf } from './document-reading.ts'
import { gatewayStage, type GatewayStage } from './gateway-stage.ts'

let gateway: GatewayStage
beforeAll(async () => {
  gateway = await gatewayStage()
})
afterAll(() => gateway.close())

test('every operation asks for a credential first, and with one answers as documented', async () => {
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
    expect({ name, isServerError: status >= 500 && status !== 503 }).toEqual({ name, isServerError: false })
  }
})
