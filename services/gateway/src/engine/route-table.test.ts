import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { routeTable } from './route-table.ts'

test('a literal segment wins over a templated one, in any order of declaration', () => {
  for (const order of [
    ['/runs/{id}/{action}', '/runs/{id}/unschedule'],
    ['/runs/{id}/unschedule', '/runs/{id}/{action}'],
  ]) {
    const routes = routeTable<string>()
    for (const template of order) routes.add('POST', template, template)
    expect(routes.match('POST', '/runs/7/unschedule')?.route).toBe('/runs/{id}/unschedule')
    expect(routes.match('POST', '/runs/7/pause')).toMatchObject({
      route: '/runs/{id}/{action}',
      params: { id: '7', action: 'pause' },
    })
  }
})

test('a path with another method is found, with its allowed methods', () => {
  const routes = routeTable<string>()
  routes.add('GET', '/a/{x}', 'read')
  routes.add('PATCH', '/a/{x}', 'change')
  expect(routes.match('PUT', '/a/1')).toMatchObject({ route: undefined, allow: ['GET', 'HEAD', 'PATCH'] })
  expect(routes.match('HEAD', '/a/1')?.route).toBe('read')
})

test('parameters are decoded once, and an invalid percent sequence stays unchanged', () => {
  const routes = routeTable<string>()
  routes.add('GET', '/a/{x}', 'a')
  expect(routes.match('GET', '/a/%252F%20b')?.params).toEqual({ x: '%2F b' })
  expect(routes.match('GET', '/a/%zz')?.params).toEqual({ x: '%zz' })
})

test('empty segments, trailing slashes and longer paths are different paths', () => {
  const routes = routeTable<string>()
  routes.add('GET', '/a/{x}', 'a')
  for (const path of ['/a/', '/a', '/a/1/', '/a/1/2', '//a/1', '', '/', '*'])
    expect(routes.match('GET', path)).toBeUndefined()
})

test('two templates of one path, and one route twice, are refused at boot', () => {
  const routes = routeTable<string>()
  routes.add('GET', '/a/{x}', 'a')
  expect(() => routes.add('GET', '/a/{x}', 'b')).toThrow('declared twice')
  expect(() => routes.add('POST', '/a/{y}', 'b')).toThrow('mean the same path')
})

test('matching does not throw for any request line', () => {
  const routes = routeTable<string>()
  routes.add('GET', '/a/{x}/b', 'a')
  fc.assert(fc.property(fc.string(), fc.string(), (method, path) => void routes.match(method, path)))
})
