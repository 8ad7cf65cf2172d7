import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { createService, type Service } from '@lettergate/service'
import { httpApp, listenHttp, nothingHere } from '@lettergate/http'
import { limitBody } from '@lettergate/http/body-time'

let service: Service
let port: number

beforeEach(async () => {
  service = createService('http-test', { logLevel: 'silent' })
  const app = httpApp(service, (req, res) => {
    if (req.url === '/nothing') throw nothingHere()
    if (req.url === '/early') return void res.end('early')
    if (req.url === '/long') limitBody(req, 60_000)
    req.resume()
    req.once('end', () => res.end('complete'))
  })
  port = (await service.use(listenHttp(service, app, 0, { requestMs: 500 }))).port
})
afterEach(() => service.stop())

/** Begins a request and does not complete its body. */
async function begin(path: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345`)
  return socket
}

test('a body that does not arrive in time is a 408 page, and the connection ends', async () => {
  const answer = await text(await begin('/short'))
  expect(answer).toMatch(/^HTTP\/1.1 408 Request Timeout\r\n/)
  expect(answer).toContain('X-Error-Reason: malformed_http')
})

test('an operation may give its body more time', async () => {
  const socket = await begin('/long')
  // the first answer to a shorter request comes after the shorter time
  await text(await begin('/short'))
  socket.end('67890')
  expect(await text(socket)).toMatch(/^HTTP\/1.1 200 OK[\s\S]*complete/)
})

test('a connection whose request was answered early ends if the rest of the body does not come', async () => {
  expect(await text(await begin('/early'))).toMatch(/^HTTP\/1.1 200 OK[\s\S]*early/)
})

test('a request without a body is not timed, and neither is a complete one', async () => {
  for (let n = 0; n < 3; n += 1)
    expect((await fetch(`http://127.0.0.1:${port}/short`, { method: 'POST', body: '1' })).status).toBe(200)
  const socket = connect(port, '127.0.0.1')
  socket.write('GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket, 'data')
  await text(await begin('/short'))
  socket.write('GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  expect(await text(socket)).toContain('HTTP/1.1 404')
})
