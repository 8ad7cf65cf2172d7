import { expect, test } from '@jest/globals'
import { inColors } from './in-colors.ts'

const style = (scheme: string) =>
  `<style>:root{contain:style;position:relative;height:fit-content;color-scheme:${scheme}!important}body{background:Canvas;height:fit-content}body::before{content:"";position:absolute;inset:0;z-index:-1;background:inherit}</style>`
const rules =
  '<style>@media (prefers-color-scheme:dark) and (max-width:480px){p{color:#fff}}@media ( Prefers-Color-Scheme : light ){p{color:#000}}</style>'

test('the rules for the colors of the reader hold, and those for the others do not', () => {
  expect(inColors(rules, 'dark')).toBe(
    `${style('light')}<style>@media (min-width:0) and (max-width:480px){p{color:#fff}}@media (max-width:0){p{color:#000}}</style>`,
  )
  expect(inColors(rules, 'light')).toBe(
    `${style('light')}<style>@media (max-width:0) and (max-width:480px){p{color:#fff}}@media (min-width:0){p{color:#000}}</style>`,
  )
})

test.each([
  ['<meta name="color-scheme" content="light dark">', 'dark'],
  ['<meta content="light dark" name="color-scheme">', 'dark'],
  ['<style>:root{color-scheme:light dark}</style>', 'dark'],
  ['<meta name="color-scheme" content="light only">', 'light'],
  ['<meta name="supported-color-schemes" content="light dark">', 'light'],
  ['<p>dark</p>', 'light'],
])('%s is drawn in the scheme %s for a reader with dark colors, and in light otherwise', (html, scheme) => {
  expect(inColors(`<!doctype html>${html}`, 'dark')).toBe(`<!doctype html>${style(scheme)}${html}`)
  expect(inColors(`<!doctype html>${html}`, 'light')).toBe(`<!doctype html>${style('light')}${html}`)
})
