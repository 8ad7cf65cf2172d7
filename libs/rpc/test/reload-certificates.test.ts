import { status } from '@grpc/grpc-js'
import { expect, test } from '@jest/globals'
import { once } from 'node:events'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import type { TlsFiles } from '@lettergate/service'
import { until } from '@lettergate/stage'
import {
  authority,
  clientOf,
  directory,
  foreign,
  mounted,
  rawClient,
  rawLookup,
  scope,
  server,
} from './peer-fixture.ts'

const rawClientOf = (files: TlsFiles) => (port: number) => rawLookup(rawClient(port, files))

test('a server uses changed files without a restart, and calls on open streams continue', async () => {
  const mount = mounted('server')
  mount.put(await authority.issue('contacts-consent'))
  const { port } = await server(mount.files)
  const early = await clientOf('gateway', port, await authority.issue('gateway'))
  await early.lookupContact(scope(), { email: 'ada' })
  const late = rawClientOf(await foreign.issue('gateway'))
  expect(await late(port)).toBe(status.UNAVAILABLE)

  mount.put(await foreign.issue('contacts-consent'))
  await until(async () => (await late(port)) === status.OK)
  expect(await rawClientOf(await authority.issue('gateway'))(port)).toBe(status.UNAVAILABLE)
  await early.lookupContact(scope(), { email: 'ada' })
})
test('a client uses changed files without a restart', async () => {
  const mount = mounted('client')
  mount.put(await authority.issue('gateway'))
  const trusting = await server(await authority.issue('contacts-consent'))
  const client = await clientOf('gateway', trusting.port, mount.files)
  await client.lookupContact(scope(), { email: 'ada' })
  await trusting.stop()
  await server(await foreign.issue('contacts-consent'), 'contacts-consent', trusting.port)
  await expect(client.lookupContact(scope(500), { email: 'ada' })).rejects.toMatchObject({ code: 'unavailable' })

  mount.put(await foreign.issue('gateway'))
  await until(() => client.lookupContact(scope(2_000), { email: 'ada' }))
})

test('an open connection is replaced when the certificate of its client changes', async () => {
  const mount = mounted('client')
  mount.put(await authority.issue('gateway'))
  const { port } = await server(await authority.issue('contacts-consent'))
  let connections = 0
  const sockets: Socket[] = []
  const proxy = createServer((from) => {
    connections += 1
    const to = createConnection(port, '127.0.0.1')
    sockets.push(from, to)
    from.pipe(to).pipe(from)
    for (const socket of [from, to]) socket.on('error', () => socket.destroy())
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const client = await clientOf('gateway', (proxy.address() as AddressInfo).port, mount.files)
  await client.lookupContact(scope(), { email: 'ada' })
  const before = connections
  mount.put(await authority.issue('gateway'))
  await until(() => connections > before)
  await client.lookupContact(scope(), { email: 'ada' })
  proxy.close()
  for (const socket of sockets) socket.destroy()
})

test('unusable files are ignored, and the previous ones stay in use', async () => {
  const mount = mounted('server')
  const good = await authority.issue('contacts-consent')
  mount.put(good)
  const { port, service } = await server(mount.files)
  const [cert, key] = [join(directory, 'half.pem'), join(directory, 'other-key.pem')]
  writeFileSync(cert, readFileSync(good.cert).subarray(0, 100))
  cpSync((await authority.issue('imports')).key, key)
  let loggedErrors = 0
  service.log.error = () => void (loggedErrors += 1)
  mount.put({ ...good, cert })
  await until(() => loggedErrors > 0)
  mount.put({ ...good, key })
  const before = loggedErrors
  await until(() => loggedErrors > before + 1)
  expect(await rawLookup(rawClient(port, await authority.issue('gateway')))).toBe(status.OK)
})
