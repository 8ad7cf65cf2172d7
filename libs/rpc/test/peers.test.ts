import { create, toBinary } from '@bufbuild/protobuf'
import { Metadata, status, type Client as GrpcClient } from '@grpc/grpc-js'
import { expect, test } from '@jest/globals'
import { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import { ExchangeRequestSchema, type ExchangeResponse } from '@lettergate/contracts/rpc/v1/calls'
import { until } from '@lettergate/stage'
import { exchange, requestBytesMax } from '../src/frames.ts'
import { openPeerCheck } from '../src/peers.ts'
import type { Client } from '../src/rpc.ts'
import { authority, clientOf, foreign, lookup, rawClient, rawLookup, scope, server, serviceOf } from './peer-fixture.ts'

const large = 'x'.repeat(requestBytesMax + 1)

/** The three transports of a call: a frame of the shared stream, a separate unary call, a server stream. */
const transports = {
  'a frame of the shared stream': (client: Client<typeof ContactsConsent>, at = scope()) =>
    client.lookupContact(at, { email: 'ada' }),
  'a separate call': (client: Client<typeof ContactsConsent>, at = scope()) =>
    client.lookupContact(at, { email: large }),
  'a server stream': async (client: Client<typeof ContactsConsent>, at = scope()) => {
    for await (const _ of client.streamAudienceVerdicts(at, {})) return
  },
}
const refusal = { code: 'permission_denied', reason: 'peer_not_allowed' }

test.each([
  ['a frame of the shared stream', 'gateway', 'campaigns-delivery'],
  ['a separate call', 'gateway', 'campaigns-delivery'],
  ['a server stream', 'campaigns-delivery', 'gateway'],
] as const)(
  '%s is allowed for the callers that its rpc declares, and for no other service',
  async (transport, caller, other) => {
    const { asked, port, service } = await server(await authority.issue('contacts-consent'))
    await transports[transport](await clientOf(caller, port, await authority.issue(caller)))
    expect(asked).toHaveLength(1)
    const refused = await clientOf(other, port, await authority.issue(other))
    await expect(transports[transport](refused)).rejects.toMatchObject(refusal)
    expect(asked).toHaveLength(1)
    expect(await service.metrics.getSingleMetricAsString('lettergate_rpc_peers_refused_total')).toMatch(
      new RegExp(`peer="${other}".* 1$`, 'm'),
    )
  },
)

test('a service that no rpc declares as a caller may call nothing', async () => {
  const { asked, port } = await server(await authority.issue('contacts-consent'))
  const client = await clientOf('newcomer', port, await authority.issue('newcomer'))
  for (const call of Object.values(transports)) await expect(call(client)).rejects.toMatchObject(refusal)
  expect(asked).toEqual([])
})

test('a client without a certificate, or with a foreign, expired or not yet valid one, cannot connect', async () => {
  const { asked, port } = await server(await authority.issue('contacts-consent'))
  const own = await authority.issue('gateway')
  const dayMs = 86_400_000
  const at = (days: number) => new Date(Date.now() + days * dayMs)
  expect(await rawLookup(rawClient(port, own))).toBe(status.OK)
  expect(asked).toHaveLength(1)
  const expired = await authority.issue('gateway', { from: at(-2), until: at(-1) })
  expect(await rawLookup(rawClient(port, expired))).toBe(status.UNAVAILABLE)
  const early = await authority.issue('gateway', { from: at(1), until: at(2) })
  expect(await rawLookup(rawClient(port, early))).toBe(status.UNAVAILABLE)
  expect(await rawLookup(rawClient(port))).toBe(status.UNAVAILABLE)
  expect(await rawLookup(rawClient(port, { ca: own.ca }))).toBe(status.UNAVAILABLE)
  const { cert, key } = await foreign.issue('gateway')
  expect(await rawLookup(rawClient(port, { ca: own.ca, cert, key }))).toBe(status.UNAVAILABLE)
  expect(asked).toHaveLength(1)
})

test('a certificate with two names identifies no service', async () => {
  const { asked, port } = await server(await authority.issue('contacts-consent'))
  const both = await authority.issue('gateway', { names: ['gateway', 'campaigns-delivery'] })
  expect(await rawLookup(rawClient(port, both))).toBe(status.PERMISSION_DENIED)
  expect(asked).toEqual([])
})

test('a forged caller in metadata or in a frame does not allow a call that the certificate does not allow', async () => {
  const { asked, port } = await server(await authority.issue('contacts-consent'))
  const files = await authority.issue('webhook-intake')
  const metadata = new Metadata()
  const forged = { actor: 'root', actorkind: 'service', role: 'owner', workspaceid: 'w1', platformrole: 'owner' }
  for (const [key, value] of Object.entries(forged)) metadata.set(`lettergate-${key}`, value)
  expect(await rawLookup(rawClient(port, files), metadata)).toBe(status.PERMISSION_DENIED)

  const client = rawClient(port, files)
  const stream = client.makeBidiStreamRequest(
    exchange.path,
    (bytes: Buffer) => bytes,
    exchange.responseDeserialize,
    new Metadata(),
  )
  stream.on('error', () => undefined)
  const answers: ExchangeResponse['answers'] = []
  stream.on('data', (message: ExchangeResponse) => answers.push(...message.answers))
  const call = {
    id: 1,
    method: lookup.path.slice(1),
    request: toBinary(ContactsConsent.method.lookupContact.input, create(ContactsConsent.method.lookupContact.input)),
    timeoutMs: 20_000,
    caller: { actor: 'gateway', actorKind: 'service', role: 'owner', workspaceId: 'w1', correlationId: 'corr-1' },
  }
  stream.write(Buffer.from(toBinary(ExchangeRequestSchema, create(ExchangeRequestSchema, { calls: [call] }))))
  await until(() => answers.length > 0)
  expect(answers[0]!.outcome).toMatchObject({ case: 'failure', value: { code: status.PERMISSION_DENIED } })
  stream.cancel()
  client.close()
  expect(asked).toEqual([])
})

test('a connection stays open after its certificate expires, and its calls are refused', async () => {
  const service = serviceOf('contacts-consent', await authority.issue('contacts-consent'))
  const peers = openPeerCheck(service, ContactsConsent.methods)
  const { lookupContact } = ContactsConsent.method
  expect(() => peers.requireCaller({ name: 'gateway', validUntil: Date.now() + 60_000 }, lookupContact)).not.toThrow()
  expect(() => peers.requireCaller({ name: 'gateway', validUntil: Date.now() - 1 }, lookupContact)).toThrow(/may not/)
  expect(() => peers.requireCaller({ name: undefined, validUntil: 0 }, lookupContact)).toThrow(/may not/)
})

test('a client sends nothing to a server of another service, of another authority or without TLS', async () => {
  const other = await server(await authority.issue('sending-infra'), 'sending-infra')
  const unknown = await server(await foreign.issue('contacts-consent'))
  const plain = await server(undefined)
  const files = await authority.issue('gateway')
  for (const { asked, port } of [other, unknown, plain]) {
    const client = await clientOf('gateway', port, files)
    await expect(client.lookupContact(scope(1_000), { email: 'ada' })).rejects.toMatchObject({ code: 'unavailable' })
    expect(asked).toEqual([])
  }
})

test('any service with a certificate may call the health protocol', async () => {
  const { port } = await server(await authority.issue('contacts-consent'))
  const unchanged = (bytes: Buffer) => bytes
  const check = (client: GrpcClient) =>
    new Promise<number>((resolve) =>
      client.makeUnaryRequest('/grpc.health.v1.Health/Check', unchanged, unchanged, Buffer.alloc(0), (error) => {
        client.close()
        resolve(error?.code ?? status.OK)
      }),
    )
  const files = await authority.issue('newcomer')
  expect(await check(rawClient(port, files))).toBe(status.OK)
  expect(await check(rawClient(port, { ca: files.ca }))).toBe(status.UNAVAILABLE)
})

test('a service does not start with the certificate of another one', async () => {
  await expect(server(await authority.issue('sending-infra'))).rejects.toThrow(
    /is the certificate of sending-infra, and this is contacts-consent/,
  )
})
