import { expect, test } from '@jest/globals'
import { withInertLinks } from './inert-links.ts'

test.each([
  ['<p>a</p>', '<base target="_blank"><p>a</p>'],
  ['<!DOCTYPE html><html></html>', '<!DOCTYPE html><base target="_blank"><html></html>'],
  [
    '<a href="https://shop.test/" target="_top" rel="x">b</a>',
    '<base target="_blank"><a href="https://shop.test/" rel="x">b</a>',
  ],
  ['<p>target="_top"</p>', '<base target="_blank"><p>target="_top"</p>'],
])('%s becomes %s', (html, inert) => {
  expect(withInertLinks(html)).toBe(inert)
})
