import { expect, test } from '@jest/globals'
import { inColors } from './in-colors.ts'

const style = (scheme: string, paper = 'background:Canvas;') =>
  `<style>:root{contain:style;position:relative;height:fit-content;color-scheme:${scheme}!important}body{${paper}height:fit-content}body::before{content:"";position:absolute;inset:0;z-index:-1;background:inherit}</style>`
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

test.each([
  ['<html style="margin:0;background-color:#eee"><p>a</p></html>', ''],
  ['<style>p{color:red}body,html{margin:0;background:#eee}</style>', ''],
  ['<style>@media (min-width:0){:root , body{background:#eee}}</style>', ''],
  ['<style>html{color:red}body{background:#eee}</style>', undefined],
  ['<style>html .a{background:#eee}</style><body style="background:#eee">', undefined],
])('%s leaves its body unpainted if its root has a background', (html, paper) => {
  expect(inColors(html, 'light')).toBe(style('light', paper) + html)
})
