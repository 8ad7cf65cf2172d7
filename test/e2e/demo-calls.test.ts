import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import { openApi } from '@lettergate/demo/api'

/** A service that does not answer its first call in time. Answers how many calls it got. */
async function openSlowService() {
  let calls = 0
  const server = createServer((_req, res) => {
    calls += 1
    if (calls === 1)
      res.writeHead(503, { 'content-type': 'text/html', 'x-error-reason': 'unavailable' }).end('<h1>Wait</h1>')
    else res.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const api = openApi(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {})
  return {
    api,
    calls: () => calls,
    async close() {
      await api.close()
      server.close()
      await once(server, 'close')
    },
  }
}

test.each([
  ['a read', 'GET', '/v1/things', {}],
  ['an act on an object', 'POST', '/v1/things/1/activate', {}],
  ['a call with an idempotency key', 'POST', '/v1/things', { 'idempotency-key': 'k' }],
])('%s is sent again when a service does not answer in time', async (_what, method, path, headers) => {
  const service = await openSlowService()
  expect(await service.api.ok(method, path, undefined, headers)).toEqual({ ok: true })
  expect(service.calls()).toBe(2)
  await service.close()
})

test('a call that would create a second object is not sent again when a service does not answer in time', async () => {
  const service = await openSlowService()
  await expect(service.api.ok('POST', '/v1/things', {})).rejects.toThrow('answered 503 (unavailable)')
  expect(service.calls()).toBe(1)
  await service.close()
})
