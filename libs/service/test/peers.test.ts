import { expect, test } from '@jest/globals'
import { ConfigError } from '../src/config.ts'
import { tlsFilesOf } from '../src/peers.ts'
import { createService } from '../src/service.ts'

const tls = { ca: '/ca', cert: '/cert', key: '/key' }
const start = (options: Parameters<typeof createService>[1]) => () => createService('test', options)

test('without TLS a service binds to loopback only, unless plain text peers are allowed', () => {
  for (const bindAddress of [
    '0.0.0.0',
    '::',
    '10.0.0.7',
    '127.0.0.1.example.com',
    '127.999.1.1',
    '::2',
    '::ffff:10.0.0.7',
  ]) {
    expect(start({ bindAddress })).toThrow(ConfigError)
    expect(start({ bindAddress })).toThrow(/TLS_CA_FILE.*127\.0\.0\.1.*ALLOW_PLAINTEXT_PEERS=true/)
    expect(start({ bindAddress, tls })).not.toThrow()
    expect(start({ bindAddress, allowPlaintextPeers: true })).not.toThrow()
  }
  for (const bindAddress of ['127.0.0.1', '127.0.0.2', '::1', '0:0:0:0:0:0:0:1', 'localhost'])
    expect(start({ bindAddress })).not.toThrow()
})

test('a service binds to loopback by default', () => {
  expect(createService('test').bindAddress).toBe('127.0.0.1')
})

test('the TLS files are set together or not at all', () => {
  const none = { tlsCaFile: '', tlsCertFile: '', tlsKeyFile: '' }
  expect(tlsFilesOf(none)).toBeUndefined()
  expect(tlsFilesOf({ tlsCaFile: '/ca', tlsCertFile: '/cert', tlsKeyFile: '/key' })).toEqual(tls)
  expect(() => tlsFilesOf({ ...none, tlsCertFile: '/cert' })).toThrow(/must be set together/)
})
