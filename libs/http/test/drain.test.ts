import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, test } from '@jest/globals'
import { httpApp, listenHttp, nothingHere } from '@lettergate/http'
import { createService } from '@lettergate/service'

/** Sends a refused upload from another thread: its first half, then the rest while this thread is blocked. */
const upload = `
const { connect } = require('node:net')
const { parentPort, workerData } = require('node:worker_threads')
const half = Buffer.alloc(8_000_000, 'y')
const socket = connect(workerData.port, '127.0.0.1')
let answer = ''
socket.on('data', (chunk) => {
  answer += chunk
  if (answer.includes('</html>')) socket.end()
})
socket.on('error', (error) => (answer += error.code))
socket.on('close', () => parentPort.postMessage(answer))
socket.write('POST /nowhere HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 16000000\\r\\n\\r\\n')
socket.write(half)
parentPort.on('message', () => socket.write(half))
`

test('a refused upload is read to its end and answered, also after the process was blocked for longer than the timeout', async () => {
  const service = createService('http-test', { logLevel: 'silent' })
  const refused = Promise.withResolvers<void>()
  const app = httpApp(service, () => {
    refused.resolve()
    throw nothingHere()
  })
  const { port } = await service.use(listenHttp(service, app, 0))
  const worker = new Worker(upload, { eval: true, workerData: { port } })
  try {
    await refused.promise
    await new Promise((resolve) => setTimeout(resolve, 100))
    worker.postMessage('the rest')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500)
    const [answer] = (await once(worker, 'message')) as [string]
    expect(answer.split('\r\n')[0]).toBe('HTTP/1.1 404 Not Found')
    expect(answer).toContain('</html>')
    expect(answer).not.toMatch(/Connection: close|ECONNRESET|EPIPE/)
  } finally {
    await worker.terminate()
    await service.stop()
  }
})
