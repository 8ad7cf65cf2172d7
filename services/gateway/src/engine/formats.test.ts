import { describe, expect, test } from '@jest/globals'
import { isHttpsUrl, isOrigin } from './formats.ts'

describe('addresses of the web', () => {
  test.each([
    ['https://example.com/a?b', true],
    ['http://example.com', false],
    ['javascript:alert(1)', false],
    ['https://user:pass@example.com', false],
    ['https://exa mple.com', false],
    ['https:\\\\example.com', false],
  ])('https-url %s: %s', (value, expected) => expect(isHttpsUrl(value)).toBe(expected))
  test.each([
    ['https://example.com', true],
    ['http://localhost:3000', true],
    ['https://example.com/', false],
    ['https://example.com/a', false],
    ['https://example.com?x', false],
    ['https://a@example.com', false],
    ['ftp://example.com', false],
    ['null', false],
  ])('origin %s: %s', (value, expected) => expect(isOrigin(value)).toBe(expected))
})
