import { expect, test } from '@jest/globals'
import { addressOf, bodyOf } from './build-request.ts'
import type { Route } from './route.ts'

const route: Route = { method: 'GET', path: '/w/{slug}/contacts/{id}', query: ['email', 'tag', 'limit'] }

test('parameters are encoded, lists are repeated, and absent ones are left out', () => {
  expect(addressOf(route, { slug: 'a/b', id: 'x y', email: 'a+b@c.d', tag: ['one', 'two'], limit: undefined })).toBe(
    '/w/a%2Fb/contacts/x%20y?email=a%2Bb%40c.d&tag=one&tag=two',
  )
  expect(addressOf(route, { slug: 'a', id: 'b' })).toBe('/w/a/contacts/b')
})

test('a missing parameter of the path throws and is named', () => {
  expect(() => addressOf(route, { slug: 'a' })).toThrow('needs id')
  expect(() => addressOf(route, { slug: 'a', id: '' })).toThrow('needs id')
})

test.each(['.', '..'])('%s as a parameter of the path throws, because fetch would call another operation', (id) => {
  expect(() => addressOf(route, { slug: 'a', id })).toThrow(`id cannot be ${id}`)
  expect(addressOf(route, { slug: 'a', id: `${id}%2e/` })).toBe(`/w/a/contacts/${id}%252e%2F`)
})

test('a body is JSON, or a form with its file', async () => {
  expect(bodyOf({ ...route, body: 'json' }, { body: { a: [1] } })).toEqual({
    body: '{"a":[1]}',
    headers: { 'content-type': 'application/json' },
  })
  const file = new File(['email\n'], 'people.csv', { type: 'text/csv' })
  const { body, headers } = bodyOf({ ...route, body: 'form' }, { body: { file, label: 'CRM', encoding: undefined } })
  const form = body as FormData
  expect(headers).toEqual({})
  expect([...form.keys()]).toEqual(['file', 'label'])
  expect((form.get('file') as File).name).toBe('people.csv')
  expect(bodyOf(route, { body: { ignored: true } })).toEqual({ headers: {} })
})
