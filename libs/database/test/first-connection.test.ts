import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createService } from '@lettergate/service'
import { openStage, type Stage } from '@lettergate/stage'
import { openDatabase } from '../src/database.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage({ schemas: [{ schema: 'late', role: 'late', migrations: [] }] })
})
afterAll(() => stage.close())

test('a server that does not answer the first connection in time is asked again', async () => {
  const url = new URL(stage.databaseUrl('late'))
  const real = { port: Number(url.port), host: url.hostname }
  const sockets: Socket[] = []
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    sockets.push(socket)
    socket.on('error', () => socket.destroy())
    if (connections === 1) return
    const database = connect(real)
    sockets.push(database)
    database.on('error', () => socket.destroy())
    socket.pipe(database).pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  url.host = `127.0.0.1:${port}`

  const service = createService('late', { logLevel: 'silent' })
  await service.use(openDatabase(service, { url: url.href, schema: 'late', entities: [] }))
  expect(connections).toBeGreaterThan(1)
  await service.stop()
  server.close()
  for (const socket of sockets) socket.destroy()
})

test('a server that refuses the role is not asked again', async () => {
  const url = new URL(stage.databaseUrl('late'))
  url.username = 'nobody_here'
  const service = createService('late', { logLevel: 'silent' })
  await expect(openDatabase(service, { url: url.href, schema: 'late', entities: [] })).rejects.toThrow(/nobody_here/)
  await service.stop()
})
