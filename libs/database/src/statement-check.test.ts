import { expect, test } from '@jest/globals'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkStatements, isChecking, noteExecuted, proveShape } from './statement-check.ts'

test('nothing is checked or noted until somebody asks for it, and then each name is noted once', () => {
  expect(isChecking()).toBe(false)
  proveShape('unchecked', {}, [{ id: 1 }])
  noteExecuted('unnoted')
  const directory = mkdtempSync(join(tmpdir(), 'lettergate-statement-check-'))
  checkStatements(directory)
  noteExecuted('one')
  noteExecuted('two')
  noteExecuted('one')
  const written = readdirSync(directory).map((file) => readFileSync(join(directory, file), 'utf8'))
  rmSync(directory, { recursive: true })
  expect(written).toEqual(['one\ntwo\n'])
})
