import { expect, test } from '@jest/globals'
import { csrfTokenOf, sameSecret, sessionCookieOf, sessionSetCookie } from './sessions.ts'

test('the session cookie is HttpOnly, SameSite, and Secure except for http on the local machine', () => {
  for (const baseUrl of ['http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080']) {
    expect(sessionSetCookie('v', baseUrl)).toBe('session=v; Max-Age=43200; Path=/; HttpOnly; SameSite=Lax')
  }
  for (const baseUrl of ['https://mail.example', 'http://mail.example', 'https://localhost'])
    expect(sessionSetCookie('v', baseUrl)).toContain('; Secure')
})

test('the cookie is found among others, and an empty one is ignored', () => {
  expect(sessionCookieOf('a=b; session=xyz; c=d')).toBe('xyz')
  for (const header of [undefined, '', 'a=b', 'session=', 'xsession=1; a=session'])
    expect(sessionCookieOf(header)).toBeUndefined()
})

test('a CSRF token belongs to one session and does not reveal its cookie', () => {
  expect(csrfTokenOf('one')).not.toBe(csrfTokenOf('two'))
  expect(csrfTokenOf('one')).not.toContain('one')
})

test('secrets of any length can be compared', () => {
  expect(sameSecret('', 'x')).toBe(false)
  expect(sameSecret('x', 'x')).toBe(true)
  expect(sameSecret('x'.repeat(10_000), 'x')).toBe(false)
})
