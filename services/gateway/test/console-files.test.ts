import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gatewayStage, type GatewayStage } from './gateway-stage.ts'

const directory = mkdtempSync(join(tmpdir(), 'lettergate-console-'))
let gateway: GatewayStage
beforeAll(async () => {
  gateway = await gatewayStage({ CONSOLE_DIRECTORY: directory })
})
afterAll(async () => {
  await gateway.close()
  rmSync(directory, { recursive: true })
})

const addresses = [
  '/console',
  '/console/w/acme/newsletter',
  '/console/w/acme/newsletter/contacts/1/x',
  '/console/platform',
  '/console/platform/gates',
  '/console/profile',
  '/console/runbooks',
  '/console/runbooks/run_overdue',
  // these have no page of their own: the console says so, with its navigation
  '/console/nothing',
  '/console/w',
  '/console/w/acme',
  '/console/platform/gates/x',
  '/console/w/acme/newsletter/contacts/1/x/y/z',
]

describe('the pages of the console', () => {
  test('are 503 with the command that builds them while they are not built', async () => {
    const { status, text, headers } = await gateway.call('GET', '/console')
    expect(status).toBe(503)
    expect(headers.get('x-error-reason')).toBe('console_not_built')
    expect(text).toContain('npm run build')
  })

  test('are one page, with a new nonce for each response and no inline script', async () => {
    mkdirSync(join(directory, 'assets'), { recursive: true })
    writeFileSync(
      join(directory, 'index.html'),
      '<meta property="csp-nonce" nonce="console-style-nonce"><meta name="environment" content="console-environment">',
    )
    const nonces = new Set<string>()
    for (const address of addresses) {
      const { status, text, headers } = await gateway.call('GET', address)
      expect([address, status]).toEqual([address, 200])
      expect(headers.get('cache-control')).toBe('no-store')
      const nonce = /nonce="([^"]+)"/.exec(text)![1]!
      const policy = headers.get('content-security-policy')
      expect(policy).toContain(`style-src 'self' 'nonce-${nonce}'`)
      expect(policy).toMatch(/default-src 'none'; script-src 'self';.*frame-ancestors 'none'$/)
      nonces.add(nonce)
      expect(text).toContain('content="test"')
    }
    expect(nonces.size).toBe(addresses.length)
  })

  test('are at the same address without a slash at its end', async () => {
    for (const [address, location] of [
      ['/console/', '/console'],
      ['/console/w/acme/newsletter/', '/console/w/acme/newsletter'],
      ['/console/platform/?show=all', '/console/platform?show=all'],
      ['/console/w/acme/', '/console/w/acme'],
      ['/console/runbooks/?name=a?b', '/console/runbooks?name=a?b'],
    ] as const) {
      const { status, headers } = await gateway.call('GET', address)
      expect([address, status, headers.get('location')]).toEqual([address, 308, location])
    }
  })

  test('have assets that browsers keep', async () => {
    expect((await gateway.call('GET', '/console/assets/main-1a.js')).status).toBe(404)
    writeFileSync(join(directory, 'assets/main-1a.js'), 'export {}')
    const first = await gateway.call('GET', '/console/assets/main-1a.js', { headers: { 'accept-encoding': 'gzip' } })
    expect([first.status, first.text]).toEqual([200, 'export {}'])
    expect(first.headers.get('cache-control')).toContain('immutable')
    expect(first.headers.get('content-encoding')).toBe('gzip')
    const again = await gateway.call('GET', '/console/assets/main-1a.js', {
      headers: { 'if-none-match': first.headers.get('etag')! },
    })
    expect(again.status).toBe(304)
  })

  test.each(['..%2findex.html', 'main.html', '.env', 'a%00.js'])('have no asset %s', async (name) => {
    expect((await gateway.call('GET', `/console/assets/${name}`)).status).toBe(404)
  })

  test('do not answer for unknown operations and files', async () => {
    for (const path of ['api', 'api/', 'api/nothing', 'auth', 'auth/nothing', 'assets', 'assets/a/b.js'])
      expect([path, (await gateway.call('GET', `/console/${path}`)).status]).toEqual([path, 404])
    // the same addresses as a proxy may rewrite them
    for (const path of ['%61pi/nothing', 'api%2fnothing', '/api/nothing', '%2Fapi', '%61uth/callback', '%61ssets/a.js'])
      expect([path, (await gateway.call('GET', `/console/${path}`)).status]).toEqual([path, 404])
    expect((await gateway.call('GET', '/console/%zz/api')).status).toBe(200)
    expect((await gateway.call('POST', '/consoles')).status).toBe(404)
    expect((await gateway.call('POST', '/console/nothing')).status).toBe(405)
  })

  test.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'leave unknown operations to the error page of the public API, also for programs: %s',
    async (method) => {
      const answer = async (path: string) => {
        const headers = { accept: 'application/json', 'x-correlation-id': 'unknown-operation' }
        const { status, text, headers: given } = await gateway.call(method, path, { headers })
        return { status, text, type: given.get('content-type'), reason: given.get('x-error-reason') }
      }
      const expected = await answer('/api/v1/nothing')
      expect(expected).toMatchObject({ status: 404, reason: 'not_found' })
      for (const path of ['/console/api', '/console/api/', '/console/api/nothing', '/console/api/nothing/x/y'])
        expect({ path, ...(await answer(path)) }).toEqual({ path, ...expected })
    },
  )
})
