import { describe, expect, test } from '@jest/globals'
import { parseWebhookUrl } from './webhook-url.ts'

describe('the URL of a webhook', () => {
  test.each(['https://hooks.example.com/in', 'https://hooks.example.com./in?k=v'])('%s', (url) =>
    expect(parseWebhookUrl(url, false).href).toBe(url),
  )

  test.each([
    'http://hooks.example.com/in',
    'ftp://hooks.example.com/in',
    'javascript:alert(1)',
    'https://',
    'nonsense',
    '',
    'https://user:secret@hooks.example.com/',
    'https://hooks.example.com/#part',
    'https://hooks.example.com/a b',
    `https://hooks.example.com/${'x'.repeat(500)}`,
    'https://hooks.example.com:8443/in',
    'https://hooks.example.com:80/in',
    'https://8.8.8.8/',
    'https://[2606:4700:4700::1111]/x',
    'https://134744072/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://017700000001/',
    'https://0/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[fd00::1]/',
    'https://[fe80::1]/',
    'https://10.0.0.1/',
    'https://100.64.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://192.168.0.1./',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://x.localhost/',
    'https://postgres/',
    'https://metadata.google.internal/',
    'https://printer.local/',
  ])('cannot be %s', (url) =>
    expect(() => parseWebhookUrl(url, false)).toThrow(
      expect.objectContaining({ code: 'invalid_argument', reason: 'url' }),
    ),
  )

  test('may contain port 443', () =>
    expect(parseWebhookUrl('https://hooks.example.com:443/in', false).href).toBe('https://hooks.example.com/in'))

  test('may be private and use http on a stack of one machine, but never with credentials', () => {
    expect(parseWebhookUrl('http://127.0.0.1:9000/hook', true).port).toBe('9000')
    expect(() => parseWebhookUrl('http://a:b@127.0.0.1/', true)).toThrow('user name')
    expect(() => parseWebhookUrl('file:///etc/passwd', true)).toThrow('https://')
  })
})
