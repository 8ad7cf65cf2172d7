import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from '@jest/globals'
import { callHttp } from '@lettergate/http/call'
import { isForbidden, publicLookup } from './public-lookup.ts'

const look = (addresses: string[]) =>
  new Promise<{ error: unknown; found: unknown }>((resolve) =>
    publicLookup(async () => addresses)('hooks.example.com', { all: true }, (error, found) =>
      resolve({ error, found }),
    ),
  )

describe('the address of a connection', () => {
  test('is resolved when all addresses are public', async () => {
    expect(await look(['93.184.215.14', '2606:4700::1'])).toEqual({
      error: null,
      found: [
        { address: '93.184.215.14', family: 4 },
        { address: '2606:4700::1', family: 6 },
      ],
    })
  })

  test.each([[['127.0.0.1']], [['93.184.215.14', '10.0.0.1']], [['::ffff:127.0.0.1']], [['93.184.215.14', 'fd00::1']]])(
    'is refused when the name has %j',
    async (addresses) => expect(isForbidden((await look(addresses)).error)).toBe(true),
  )
})

test('a name that changes to a private address after the check is not connected to', async () => {
  let connections = 0
  const server = createServer((_, response) => response.end())
  server.on('connection', () => (connections += 1))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const answers = [['93.184.215.14'], ['127.0.0.1']]
  const rebinding = async () => answers.shift() ?? ['127.0.0.1']
  expect(await rebinding()).toEqual(['93.184.215.14'])
  const result = await callHttp({
    method: 'POST',
    url: `http://hooks.example.com:${port}/`,
    body: 'x',
    lookup: publicLookup(rebinding),
  })
  expect(result.kind).toBe('not_sent')
  expect(isForbidden((result as { error: unknown }).error)).toBe(true)
  expect(connections).toBe(0)
  server.close()
  await once(server, 'close')
})
