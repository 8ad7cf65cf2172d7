import { CompletionContext } from '@codemirror/autocomplete'
import { EditorState } from '@codemirror/state'
import { expect, test } from '@jest/globals'
import { commonTokens, completeTokens } from './complete-tokens.ts'

/** The text after the first offered token was chosen at the place of the bar. */
function complete(text: string): string | null {
  const pos = text.indexOf('|')
  const doc = text.replace('|', '')
  const offered = completeTokens(commonTokens)(new CompletionContext(EditorState.create({ doc }), pos, false))
  if (offered === null) return null
  return doc.slice(0, offered.from) + String(offered.options[0]!.apply) + doc.slice(pos)
}

test('a token is offered after two braces, with the braces that close it', () => {
  expect(complete('<p>Hello {{|</p>')).toBe('<p>Hello {{ first_name }}</p>')
  expect(complete('<p>Hello {{ fi|</p>')).toBe('<p>Hello {{ first_name }}</p>')
})

test('braces that are there already are not repeated', () => {
  expect(complete('{{ fi| }}')).toBe('{{ first_name }}')
  expect(complete('{{ fi|}}')).toBe('{{ first_name }}')
})

test('nothing is offered elsewhere', () => {
  expect([complete('<p>fi|</p>'), complete('{|'), complete('{{ first_name }}|')]).toEqual([null, null, null])
})
