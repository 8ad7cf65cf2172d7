import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { connect } from 'node:net'
import { loadDocument } from '@lettergate/gateway/load-document'
import { campaignsServices } from './campaigns-services.ts'
import { signIn, type Browser } from '@lettergate/gateway/test/console-session'
import { bodies, nasty, noServerError, types } from '@lettergate/gateway/test/fuzz-inputs'
import { gatewayStage, newsletter, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'
import { readySender } from '@lettergate/gateway/test/people-and-senders'

/** Inputs that often cause a 500, sent to the operations of identity and to the checks of the engine. */

let gateway: GatewayStage
let owner: Browser
beforeAll(async () => {
  gateway = await gatewayStage(
    {
      ALLOW_PRODUCTION_SENDING_ACTIVATION: 'true',
      RATE_LIMIT_SIGN_IN_PER_MINUTE: '100000',
      RATE_LIMIT_PREFERENCES_PER_MINUTE: '100000',
      // Any folder with an index.html: without one, the pages of the console are 503.
      CONSOLE_DIRECTORY: new URL('../../services/console', import.meta.url).pathname,
    },
    campaignsServices,
  )
  await readySender(gateway, newsletter)
  owner = await signIn(gateway, 'owner')
})
afterAll(() => gateway.close())

const runs = { numRuns: 30 }

describe('no input that a caller can send is answered with a 5xx', () => {
  test('any body and content type of activate-sending', async () => {
    await fc.assert(
      fc.asyncProperty(bodies, types, (body, type) =>
        noServerError(
          { body: body.slice(0, 200), type },
          gateway.call('POST', `${newsletter}/activate-sending`, {
            as: 'owner',
            body,
            headers: { 'content-type': type },
          }),
        ),
      ),
      runs,
    )
  })

  test('any body and gate name of the console', async () => {
    await fc.assert(
      fc.asyncProperty(
        bodies,
        fc.oneof(fc.constantFrom(...nasty.filter((name) => name.length < 5_000)), fc.string()),
        (body, name) =>
          noServerError(
            { body: body.slice(0, 200), name },
            owner.call('PUT', `/console/api/platform/gates/${encodeURIComponent(name.toWellFormed())}`, { body }),
          ),
      ),
      runs,
    )
  })

  test('any body of every operation that has one, up to the gateway', async () => {
    const paths = Object.entries(loadDocument('public').paths).flatMap(([template, item]) =>
      Object.entries(item)
        .filter(([, operation]) => operation.requestBody !== undefined && operation['x-credential'] === 'operator')
        // a preflight accepts every body and then asks services that do not run here
        .filter(([, { operationId }]) => operationId !== 'runPreflight')
        .map(([method]) => ({
          method: method.toUpperCase(),
          path: template
            .replace('{organization_slug}', 'acme')
            .replace('{workspace_slug}', 'newsletter')
            .replaceAll(/\{\w+\}/g, 'no-id'),
        })),
    )
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), bodies, async ({ method, path }, body) => {
        const { status } = await gateway.call(method, path, {
          as: 'owner',
          body,
          headers: { 'idempotency-key': 'some-idempotency-key' },
        })
        expect({ path, body: body.slice(0, 200), isServerError: status >= 500 }).toMatchObject({
          isServerError: false,
        })
      }),
      { ...runs, numRuns: 60 },
    )
  })

  test('any path and query', async () => {
    const segment = fc.oneof(
      fc.constantFrom(
        '%zz',
        '%00',
        '%ED%A0%80',
        '..',
        '%2e%2e',
        '%2F',
        'é',
        'x'.repeat(4_000),
        '{}',
        '*',
        '__proto__',
        'acme',
        'newsletter',
      ),
      fc.string().map(encodeURIComponent),
    )
    const prefixes = fc.constantFrom(
      '/',
      '/api/v1/',
      '/api/v1/organizations/',
      '/preferences/',
      '/console/',
      '/console/auth/callback?state=',
      `${newsletter}/contacts/lookup?email=`,
      '/docs/',
    )
    await fc.assert(
      fc.asyncProperty(
        prefixes,
        fc.array(segment, { maxLength: 5 }),
        fc.constantFrom('GET', 'POST', 'HEAD', 'DELETE'),
        async (prefix, segments, method) => {
          const path = prefix + segments.join(prefix.includes('?') ? '&email=' : '/')
          const { status } = await gateway.call(method, path, { as: 'owner' })
          expect({ path, method, isServerError: status >= 500 }).toMatchObject({
            isServerError: false,
          })
        },
      ),
      { ...runs, numRuns: 60 },
    )
  })

  test('any credential header', async () => {
    const header = fc.oneof(
      fc.constantFrom(
        '',
        'Bearer',
        'Bearer  ',
        'bearer wallet-session-',
        'Bearer wallet-session-dev-owner,Bearer x',
        `Bearer wallet-session-${'x'.repeat(5_000)}`,
        'Bearer wallet-session-é',
        'Basic Og==',
      ),
      fc.stringMatching(/^[\x20-\x7e]{0,60}$/),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('authorization', 'x-api-key', 'cookie', 'x-user-id', 'x-csrf-token'),
        header,
        fc.constantFrom('', 'session=', 'session=%00; session=x', 'session="a'),
        (name, content, cookie) =>
          noServerError(
            { name, content, cookie },
            gateway.call('GET', '/api/v1/me', {
              headers: { 'x-api-key': 'test-service-key', cookie, [name]: content },
            }),
          ),
      ),
      runs,
    )
  })

  test('two Authorization headers, raw control bytes and bodies that are cut', async () => {
    const { port } = new URL(gateway.baseUrl)
    const raw = (text: string) =>
      new Promise<string>((resolve) => {
        const socket = connect(Number(port), '127.0.0.1', () => socket.end(text, 'latin1'))
        let got = ''
        socket.on('data', (chunk: Buffer) => (got += chunk.toString('latin1')))
        socket.on('error', () => resolve(got))
        socket.on('close', () => resolve(got))
      })
    const token = 'Authorization: Bearer wallet-session-dev-owner\r\n'
    const put = `POST ${newsletter}/activate-sending HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${token}Content-Type: application/json\r\n`
    for (const request of [
      `GET /api/v1/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${token}Authorization: Bearer x\r\n\r\n`,
      `GET /api/v1/me?\x00 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      `GET /\xff\xfe HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      `${put}Content-Length: 100\r\n\r\n{"conf`,
      `${put}Transfer-Encoding: chunked\r\n\r\n5\r\n{"a`,
      `${put}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      `${put}Content-Length: -1\r\n\r\n`,
      `${put}Expect: 200-ok\r\nContent-Length: 2\r\n\r\n{}`,
    ]) {
      expect(await raw(request)).not.toMatch(/^HTTP\/1\.1 5/)
    }
    expect((await gateway.call('GET', '/healthz')).status).toBe(200)
  })
})
