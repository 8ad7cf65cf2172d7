import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import { createAuthority } from '@lettergate/stage/certificates'
import { root } from '@lettergate/guard/tree'

const sslRequest = 80_877_103

/** A server that answers the request for TLS of a PostgreSQL client, and notes what the client sends afterwards. */
let server: Server
let seen: string[] = []
/** the name in the certificate of the server */
let presented: 'localhost' | 'other' = 'localhost'
let authority: string
const folder = mkdtempSync(join(tmpdir(), 'lettergate-database-tls-'))

beforeAll(async () => {
  const certificates = await createAuthority(folder)
  const files = { localhost: await certificates.issue('localhost'), other: await certificates.issue('other') }
  authority = files.localhost.ca
  server = createServer((socket) => void answer(socket).catch(() => socket.destroy()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  async function answer(socket: Socket) {
    const seenOfThis = seen
    socket.on('error', () => undefined)
    const [first] = (await once(socket, 'data')) as [Buffer]
    if (first.readInt32BE(4) !== sslRequest) {
      seenOfThis.push('plain text')
      return socket.destroy()
    }
    socket.write('S')
    const { key, cert } = files[presented]
    const secure = new TLSSocket(socket, { isServer: true, key: readFileSync(key), cert: readFileSync(cert) })
    secure.on('error', () => seenOfThis.push('refused the certificate'))
    const [start] = (await once(secure, 'data')) as [Buffer]
    seenOfThis.push(`user ${/user\0(\w+)\0/.exec(start.toString('latin1'))?.[1]} over TLS`)
    secure.destroy()
  }
})
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

/** What the server saw of a program that uses the database with the environment of the chart. */
async function seenOf(program: string, environment: Record<string, string>, name = presented): Promise<string[]> {
  seen = []
  presented = name
  const { port } = server.address() as AddressInfo
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '--eval', program], {
    cwd: root,
    stdio: 'ignore',
    env: { DATABASE_URL: `postgresql://contacts:secret@localhost:${port}/lettergate`, ...environment },
  })
  await once(child, 'exit')
  return [...new Set(seen)]
}

const service = `import { openDatabase } from '@lettergate/database'
import { createService } from '@lettergate/service'
await openDatabase(createService('x', { logLevel: 'silent' }), { url: process.env.DATABASE_URL, schema: 'x', entities: [] })`
const migration = `import { migrate } from '@lettergate/database/migrate'
await migrate(process.env.DATABASE_URL, { schema: 'x', role: 'x', migrations: [] })`

const verified = { PGSSLMODE: 'verify-full', NODE_EXTRA_CA_CERTS: '' }
beforeAll(() => {
  verified.NODE_EXTRA_CA_CERTS = authority
})

test('a service uses TLS as the chart sets it, and accepts only the certificate of its database', async () => {
  expect(await seenOf(service, verified, 'localhost')).toEqual(['user contacts over TLS'])
  expect(await seenOf(service, verified, 'other')).not.toContain('user contacts over TLS')
  expect(await seenOf(service, { PGSSLMODE: 'verify-full' }, 'localhost')).not.toContain('user contacts over TLS')
  expect(await seenOf(service, {})).toEqual(['plain text'])
})

test('a migration uses TLS in the same way', async () => {
  expect(await seenOf(migration, verified, 'localhost')).toEqual(['user contacts over TLS'])
  expect(await seenOf(migration, verified, 'other')).not.toContain('user contacts over TLS')
})
