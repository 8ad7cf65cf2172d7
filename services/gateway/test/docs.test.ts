import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createHash } from 'node:crypto'
import { gatewayStage, type GatewayStage } from './gateway-stage.ts'

let gateway: GatewayStage
beforeAll(async () => {
  gateway = await gatewayStage()
})
afterAll(() => gateway.close())

describe('the description of the API', () => {
  test('is public, complete, and 304 for a client that has it', async () => {
    const first = await gateway.call('GET', '/api/v1/openapi.json')
    expect(first.status).toBe(200)
    expect(first.json).toMatchObject({ openapi: '3.1.0', info: { version: '2026-07-28' } })
    expect(Object.keys(first.json['paths'] as object)).toContain('/webhooks/mailprovider/{connection_id}')
    const again = await gateway.call('GET', '/api/v1/openapi.json', {
      headers: { 'if-none-match': first.headers.get('etag')! },
    })
    expect(again.status).toBe(304)
  })

  test('is a page without external resources', async () => {
    const { status, text, headers } = await gateway.call('GET', '/docs')
    expect(status).toBe(200)
    expect(headers.get('content-security-policy')).toMatch(
      /default-src 'none'; script-src 'self'; .*connect-src 'self'/,
    )
    const parts = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address!)
    expect(parts.length).toBeGreaterThan(2)
    for (const part of parts) {
      expect(part).toMatch(/^\//)
      expect((await gateway.call('GET', part)).status).toBe(200)
    }
  })

  test('uses a compressed and cached script, without fonts and telemetry', async () => {
    const { headers } = await gateway.call('GET', '/docs/reference.js', { headers: { 'accept-encoding': 'gzip' } })
    expect(headers.get('content-encoding')).toBe('gzip')
    expect(headers.get('cache-control')).toContain('max-age')
    const plain = await gateway.call('GET', '/docs/reference.js', { headers: { 'accept-encoding': 'identity' } })
    expect(plain.text).toContain('createApiReference')
    const start = (await gateway.call('GET', '/docs/start.js')).text
    expect(start).toContain('withDefaultFonts: false')
    expect(start).toContain('telemetry: false')
  })
})

describe('public facts', () => {
  test('HEAD has the answer of GET without the body', async () => {
    const { status, text, headers } = await gateway.call('HEAD', '/healthz')
    expect({ status, text, type: headers.get('content-type') }).toEqual({
      status: 200,
      text: '',
      type: 'application/json; charset=utf-8',
    })
  })

  test('readiness is the error page of a 503 while a dependency is down', async () => {
    const { status, text, headers } = await gateway.call('GET', '/readyz')
    expect(status).toBe(503) // four of the other services do not run here
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(text).toContain('The service is not ready')
    expect(text).toContain(headers.get('x-correlation-id'))
  })

  test('the start page says where to go, and every link on it leads somewhere', async () => {
    const { status, text, headers } = await gateway.call('GET', '/')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(text).toMatch(/<h1>Lettergate/)
    expect(text).toContain('prefers-color-scheme:dark')
    const style = /<style>([\s\S]*)<\/style>/.exec(text)![1]!
    const hash = createHash('sha256').update(style).digest('base64')
    expect(headers.get('content-security-policy')).toContain(`default-src 'none'; style-src 'sha256-${hash}'`)
    const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, link]) => link!)
    expect(links).toContain('/docs')
    for (const link of links) expect([link, (await gateway.call('GET', link)).status]).not.toEqual([link, 404])
  })
})
